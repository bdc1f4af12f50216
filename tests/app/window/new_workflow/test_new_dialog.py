"""A new workflow from a template: chosen, filled in and started; cancelled, it leaves nothing."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QListWidget
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.i18n.template_labels import TEMPLATE_TEXTS
from app.session import Session
from app.template_questions import QuestionKind, TemplateQuestion
from app.templates import Template, list_templates
from app.window.new_workflow import template_setup
from app.window.new_workflow.answer_fields import WeekdayField, describe_bad_answer
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.new_workflow.page_text_dialog import PageTextDialog, PageTextField
from app.window.new_workflow.ready_page import describe_template
from app.window.new_workflow.template_setup import suggest_path
from scheduler.engine.errors import RefusedError
from scheduler.store import connections, workflows
from tests.app.app_fixture import Wait, deploy
from tests.app.window.new_workflow.dialog_walk import DialogWalk
from tests.connections.smtp_server import running_smtp_server
from tests.connections.web_servers import Reply, http_server

JARGON = re.compile(r"script|\.py|python|editor|regular expression|cron|topic|handler|producer|deploy", re.IGNORECASE)


def list_connections(session: Session) -> list[str]:
    return [row.name for row in connections.list_all(session._runtime.database.read())]


def list_workflows(session: Session) -> list[str]:
    return [row.slug for row in workflows.list_all(session._runtime.database.read())]


def nothing_is_left(session: Session, documents: Path) -> bool:
    files = [file for file in documents.rglob("*") if file.is_file()] if documents.exists() else []
    return files == [] and list_connections(session) == [] and list_workflows(session) == []


def test_a_workflow_is_started_with_its_permissions(walk: DialogWalk, empty: Session, documents: Path) -> None:
    inbox = documents.parent / "in"
    inbox.mkdir()
    dialog = walk.open("sort-folder")
    walk.answer(FOLDER=str(inbox))
    walk.type(dialog.name, "Tidy up")
    walk.go_on()
    walk.wait(dialog.continue_button.isEnabled)
    assert nothing_is_left(empty, documents), "nothing exists before the user starts it"
    assert dialog.ready.does.text() == (
        f"Looks for new files in {inbox} and moves them to a subfolder for their type, such as Pictures."
    )
    assert dialog.ready.when.text() == "Every 2 minutes"
    assert dialog.ready.asks.text().startswith("You approve each list of files")
    assert "May list files in inbox" in dialog.ready.uses.text()
    walk.go_on()
    walk.wait(lambda: list_workflows(empty) == ["tidy-up"])
    assert f'"{inbox}"' in (documents / "Dayhand" / "tidy_up.py").read_text(encoding="utf-8")
    assert run_command(empty, "show", workflow="tidy-up")["state"] != "paused"
    walk.wait(lambda: all(one.is_allowed for one in empty.queries.permissions("tidy-up").tools))


@pytest.mark.parametrize("step", ["list", "questions", "checking", "ready"])
def test_cancelling_leaves_nothing(walk: DialogWalk, empty: Session, documents: Path, step: str) -> None:
    (documents.parent / "in").mkdir()
    dialog = walk.open("sort-folder")
    if step == "list":
        walk.click(dialog.back)
        assert dialog.current_page() is dialog.list
    walk.answer(FOLDER=str(documents.parent / "in")) if step != "list" else None
    if step in ("checking", "ready"):
        walk.go_on()
        assert not dialog.continue_button.isEnabled(), "it is still being checked"
    if step == "ready":
        walk.wait(dialog.continue_button.isEnabled)
    walk.click(dialog.cancel)
    assert not dialog.isVisible() and nothing_is_left(empty, documents)


def test_an_account_connected_on_the_way_is_removed_if_the_user_cancels(
    walk: DialogWalk, empty: Session, documents: Path, wait: Wait
) -> None:
    with running_smtp_server() as smtp, http_server(lambda _: Reply()) as server:
        dialog = walk.open("morning-digest")
        walk.answer(FEED=server.url, TO="me@example.org")
        walk.go_on()
        walk.connect("MAIL", smtp.settings())
        assert list_connections(empty) == ["smtp:mail"]
        walk.click(dialog.cancel)
        wait(lambda: nothing_is_left(empty, documents))


@pytest.mark.parametrize("cancels_all", [False, True])
def test_an_account_that_is_connected_after_the_user_cancelled_is_removed(
    walk: DialogWalk, empty: Session, documents: Path, wait: Wait, *, cancels_all: bool
) -> None:
    """The connection was being tested when the user cancelled that dialog, or both."""
    with running_smtp_server() as smtp:
        dialog = walk.open("morning-digest")
        walk.answer(FEED="https://example.org/feed", TO="me@example.org")
        walk.go_on()
        walk.click(dialog.accounts.fields["MAIL"].button)
        connecting = walk.open_connect_dialog()
        for key, value in smtp.settings().items():
            field = connecting.inputs[key]
            field.setText(str(value)) if isinstance(field, QLineEdit) else field.setCurrentIndex(field.findData(value))
        removed: list[str] = []
        dialog.accounts.abandoned.connect(removed.append)
        connecting.connect_button.click()
        connecting.reject()
        if cancels_all:
            dialog.reject()
        wait(lambda: removed == ["smtp:mail"])
        wait(lambda: nothing_is_left(empty, documents))
        assert not dialog.accounts.fields["MAIL"].value()
        dialog.reject()


def test_a_failure_while_starting_leaves_nothing_and_can_be_corrected(
    walk: DialogWalk, empty: Session, documents: Path, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RefusedError("test", "Refused for the test.")

    (documents.parent / "in").mkdir()
    dialog = walk.open("sort-folder")
    walk.answer(FOLDER=str(documents.parent / "in"))
    walk.go_on()
    wait(dialog.continue_button.isEnabled)
    with monkeypatch.context() as broken:
        broken.setattr(template_setup, "deploy", refuse)
        walk.go_on()
        wait(lambda: dialog.status_line.message == "Refused for the test.")
    assert nothing_is_left(empty, documents)
    walk.click(dialog.back)
    walk.start()


def test_a_second_folder_gets_a_connection_of_its_own_and_a_second_workflow_a_free_name(
    walk: DialogWalk, empty: Session, documents: Path
) -> None:
    slugs = []
    for name in ("one", "two"):
        (documents.parent / name).mkdir()
        walk.open("sort-folder")
        walk.answer(FOLDER=str(documents.parent / name))
        if slugs:
            walk.wait(lambda: walk.dialog.name.text() == "Sort folder 2")
        slugs.append(walk.start())
    assert slugs == ["sort-folder", "sort-folder-2"]
    paths = {row.name: Path(row.settings["path"]).name for row in connections.list_all(empty._runtime.database.read())}
    assert paths == {"files:inbox": "one", "files:inbox-2": "two"}
    assert 'INBOX = "files:inbox-2"' in (documents / "Dayhand" / "sort_folder_2.py").read_text()


def test_an_account_is_asked_for_before_the_workflow_can_start(walk: DialogWalk) -> None:
    dialog = walk.open("calendar-reminder")
    walk.go_on()
    assert dialog.focusWidget() is dialog.accounts.fields["CALENDAR"].button
    walk.go_on()
    assert dialog.current_page() is dialog.accounts
    assert dialog.status_line.message == "Needs a calendar. Connect one to continue."
    walk.click(dialog.back)
    assert dialog.current_page() is dialog.questions_page
    dialog.reject()


def test_existing_accounts_are_offered_and_a_new_one_gets_a_free_name(walk: DialogWalk, empty: Session) -> None:
    with running_smtp_server() as smtp:
        run_command(empty, "connect", name="smtp:mail", settings=smtp.settings(), test=False)
        run_command(empty, "connect", name="smtp:work", settings=smtp.settings(), test=False)
    dialog = walk.open("morning-digest")
    walk.wait(lambda: dialog._known.connected)
    walk.answer(FEED="https://example.org/feed", TO="me@example.org")
    walk.go_on()
    field = dialog.accounts.fields["MAIL"]
    shown = [field.choice.itemText(place) for place in range(field.choice.count())]
    assert [one.partition(" ")[0] for one in shown] == ["mail", "work", "Connect"]
    field.choice.setCurrentIndex(1)
    field.choice.activated.emit(1)
    field.choice.setCurrentIndex(2)
    field.choice.activated.emit(2)
    connecting = walk.open_connect_dialog()
    assert connecting.connection_name == "smtp:mail-2"
    connecting.reject()
    assert field.value() == "smtp:work", "a cancelled new account keeps the choice"
    dialog.reject()


def test_answers_stay_after_going_back(walk: DialogWalk, qtbot: QtBot) -> None:
    dialog = walk.open("run-command")
    walk.answer(COMMAND="true")
    walk.click(dialog.back)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    assert dialog.current_page() is dialog.questions_page
    field = dialog.answers.inputs["COMMAND"]
    assert isinstance(field, QLineEdit) and field.text() == "true"
    dialog.reject()


def test_an_invalid_answer_is_reported_with_its_field(walk: DialogWalk, tmp_path: Path) -> None:
    dialog = walk.open("run-command")
    walk.go_on()
    assert dialog.status_line.message == "Command: This field is required."
    assert dialog.focusWidget() is dialog.answers.inputs["COMMAND"]
    walk.answer(COMMAND="echo 'a")
    assert dialog.status_line.message == "", "it disappears with the first letter"
    walk.go_on()
    assert dialog.status_line.message.endswith("Enter one command with matching quotes. For shell syntax: sh -c '…'")
    walk.answer(COMMAND="echo a", FOLDER=str(tmp_path / "nowhere"))
    walk.go_on()
    assert dialog.status_line.message.endswith("nowhere is not a folder. Choose an existing one.")
    walk.answer(FOLDER=str(tmp_path))
    days = dialog.answers.inputs["DAYS"]
    assert isinstance(days, WeekdayField)
    for button in days.days.values():
        walk.click(button)
    walk.go_on()
    assert dialog.status_line.message == "On these days: Choose at least one day."
    walk.click(days.days["wed"])
    walk.type(dialog.name, " ")
    walk.go_on()
    assert dialog.status_line.message == "Name: This field is required."
    assert dialog.current_page() is dialog.questions_page
    dialog.reject()


def test_a_question_that_depends_on_a_choice_is_asked_only_then(walk: DialogWalk) -> None:
    dialog = walk.open("sort-folder")
    folder, at = dialog.answers.inputs["BACKUP_FOLDER"], dialog.answers.inputs["AT"]
    assert not folder.isVisible() and not at.isVisible()
    walk.tick(dialog.answers.inputs["BACKUP"])
    assert folder.isVisible() and at.isVisible()
    dialog.reject()


def test_an_existing_file_is_never_replaced(walk: DialogWalk, documents: Path, wait: Wait) -> None:
    precious = documents / "Dayhand" / "run_a_command.py"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    dialog = walk.open("run-command")
    walk.answer(COMMAND="true")
    walk.go_on()
    wait(dialog.continue_button.isEnabled)
    assert dialog.ready.file.text() == str(precious.with_name("run_a_command_2.py"))
    walk.click(dialog.ready.advanced)
    dialog.ready.file.clear()
    walk.go_on()
    assert dialog.status_line.message == "Save the script as: This field is required."
    for path, expected in ((precious.with_suffix(""), "already exists"), (precious / "x.py", "cannot be written")):
        walk.type(dialog.ready.file, str(path))
        walk.go_on()
        wait(lambda expected=expected: expected in dialog.status_line.message)
    assert precious.read_text() == "precious"
    dialog.reject()


def test_a_workflow_cannot_be_cancelled_while_it_is_being_started(
    walk: DialogWalk, empty: Session, documents: Path, wait: Wait
) -> None:
    """Otherwise half of it could stay behind."""
    dialog = walk.open("run-command")
    walk.answer(COMMAND="true")
    walk.go_on()
    wait(dialog.continue_button.isEnabled)
    started: list[str] = []
    dialog.started.connect(lambda slug, *_: started.append(slug))
    walk.go_on()
    dialog.reject()
    assert dialog.isVisible() and not dialog.cancel.isEnabled()
    wait(lambda: started == ["run-a-command"])
    assert list_workflows(empty) == started


def test_an_existing_name_is_refused(walk: DialogWalk, empty: Session, documents: Path, wait: Wait) -> None:
    deploy(empty, "Nightly", "pass")
    dialog = walk.open("run-command")
    walk.answer(COMMAND="true")
    walk.type(dialog.name, "nightly")
    walk.go_on()
    wait(lambda: "A workflow named nightly already exists" in dialog.status_line.message)
    assert not documents.exists() and not dialog.continue_button.isEnabled()
    walk.click(dialog.back)
    dialog.reject()


def test_an_invalid_connection_is_reported_and_leaves_nothing(
    walk: DialogWalk, empty: Session, documents: Path, wait: Wait
) -> None:
    with running_smtp_server() as smtp:
        run_command(empty, "connect", name="smtp:mail", settings=smtp.settings(), test=False)
    dialog = walk.open("invoice-reminders")
    wait(lambda: dialog._known.connected)
    walk.answer(TABLE=str(documents.parent / "t.doc"), SIGNED="Emma")
    walk.go_on()
    walk.go_on()
    wait(dialog.continue_button.isEnabled)
    walk.go_on()
    wait(lambda: "is not a table" in dialog.status_line.message)
    assert list_connections(empty) == ["smtp:mail"] and list_workflows(empty) == []
    dialog.reject()


def read_texts(dialog: NewWorkflowDialog) -> list[str]:
    """Everything that is visible."""
    labels = [one.text() for one in dialog.findChildren(QLabel) if one.isVisible()]
    buttons = [one.text() for one in dialog.findChildren(QAbstractButton) if one.isVisible()]
    lists = [one for one in dialog.findChildren(QListWidget) if one.isVisible()]
    return [*labels, *buttons, *(one.item(place).text() for one in lists for place in range(one.count()))]


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_no_step_shows_a_word_of_programming(walk: DialogWalk, template: Template, tmp_path: Path, wait: Wait) -> None:
    """Except for programmers, and under Advanced."""
    dialog = walk.open(template.slug)
    assert list(dialog.answers.inputs) == [
        one.name for one in template.questions if one.kind is not QuestionKind.ACCOUNT
    ]
    for question in template.questions:
        if question.kind is not QuestionKind.ACCOUNT:
            assert dialog.answers.inputs[question.name].accessibleName() == question.text
    texts = read_texts(dialog)
    walk.click(dialog.back)
    texts += [one for one in read_texts(dialog) if "programmers" not in one]
    texts.append(describe_template(template, dict.fromkeys(template.also, True)) + template.asks)
    if not template.is_for_programmers:
        assert [one for one in texts if JARGON.search(one)] == []
    dialog.reject()


def test_the_page_is_read_and_a_text_is_chosen_with_the_keyboard(walk: DialogWalk, qtbot: QtBot, wait: Wait) -> None:
    body = "<html><h1>Lamp</h1><p>12 €</p><p>Delivery in 3 days</p></html>"
    with http_server(lambda _: Reply(200, body.encode(), {"Content-Type": "text/html; charset=utf-8"})) as server:
        dialog = walk.open("watch-page")
        field = dialog.answers.inputs["WATCHED"]
        assert isinstance(field, PageTextField)
        walk.click(field.button)
        assert field.status_line.message == "Enter the address of the page first."
        walk.answer(PAGE=f"{server.url.rstrip('/')}/lamp")
        walk.go_on()
        assert dialog.status_line.message == "Text or price to watch: Choose it on the page."
        walk.click(field.button)
        [picker] = dialog.findChildren(PageTextDialog)
        wait(lambda: picker.list.count() == 3)
        assert not picker.accept_button.isEnabled()
        walk.tick(picker.only_prices)
        assert [picker.list.item(place).isHidden() for place in range(3)] == [True, False, True]
        walk.tick(picker.only_prices)
        walk.type(picker.search, "delivery")
        qtbot.keyClick(picker.search, Qt.Key.Key_Down)
        assert [picker.list.item(place).isHidden() for place in range(3)] == [True, True, False]
        qtbot.keyClick(picker.list, Qt.Key.Key_Down)
        qtbot.keyClick(picker.list, Qt.Key.Key_Return)
        assert field.chosen_text.text() == "Delivery in 3 days"
        walk.answer(PAGE=f"{server.url.rstrip('/')}/chair")
        assert field.value() == {} and not field.chosen_text.isVisible(), "a text of another page"
        dialog.reject()


@pytest.mark.parametrize(("body", "says"), [("<html><script>x</script></html>", "only in a browser"), (None, "404")])
def test_a_page_that_cannot_be_used_is_reported(
    qtbot: QtBot, empty: Session, wait: Wait, body: str | None, says: str
) -> None:
    reply = Reply(404, b"gone") if body is None else Reply(200, body.encode(), {"Content-Type": "text/html"})
    with http_server(lambda _: reply) as server:
        picker = PageTextDialog(empty, f"{server.url.rstrip('/')}/lamp")
        qtbot.addWidget(picker)
        picker.show()
        wait(lambda: says in picker.status_line.message)
    assert not picker.accept_button.isEnabled() and not picker.busy.isVisible()
    assert not picker.search.isVisible() and not picker.list.isVisible(), "there is nothing to choose from"


def test_every_text_of_a_template_can_be_translated() -> None:
    texts = {
        text
        for one in list_templates()
        for text in (
            one.name,
            one.summary,
            one.does,
            one.asks,
            *one.also.values(),
            *(x for q in one.questions for x in (q.text, q.missing)),
        )
        if text
    }
    assert texts == {str(word) for word in TEMPLATE_TEXTS}


@pytest.mark.parametrize("kind", [one for one in QuestionKind if one is not QuestionKind.FLAG])
def test_an_invalid_answer_of_each_kind_has_a_message(kind: QuestionKind) -> None:
    question = TemplateQuestion(name="X", text="?", kind=kind, default="", required=True)
    assert describe_bad_answer(question, "  ").endswith(".")
    assert describe_bad_answer(question, "x") not in ("", "This field is required.")


def test_a_file_is_proposed_in_the_documents_folder(documents: Path) -> None:
    assert suggest_path("Watch page") == documents / "Dayhand" / "watch_page.py"
    assert suggest_path("¡¿") == documents / "Dayhand" / "workflow.py"
