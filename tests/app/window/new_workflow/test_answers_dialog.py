"""Changing the answers of a workflow: a new version with other answers and everything else as it was."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit, QSpinBox
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.session import Session
from app.template_script import read_constants
from app.window.new_workflow import answers_change
from app.window.new_workflow.answers_dialog import ChangeAnswersDialog
from app.window.new_workflow.page_text_dialog import PageTextField
from app.window.workflows.page import WorkflowsPage
from scheduler.engine.errors import RefusedError
from scheduler.store import connections
from tests.app.app_fixture import Wait
from tests.app.window.new_workflow.dialog_walk import DialogWalk
from tests.connections.smtp_server import running_smtp_server
from tests.connections.web_servers import Reply, http_server


def open_answers(page: WorkflowsPage, walk: DialogWalk) -> ChangeAnswersDialog:
    walk.wait(page.pane.change_answers.isVisible)
    walk.click(page.pane.change_answers)
    return walk.wait(lambda: next((one for one in page.findChildren(ChangeAnswersDialog) if one.isVisible()), None))


def save(dialog: ChangeAnswersDialog, walk: DialogWalk, qtbot: QtBot) -> str:
    """Click through to the end; returns the message."""
    while dialog.current_page() is not dialog.ready:
        walk.click(dialog.continue_button)
        assert not dialog.status_line.message, dialog.status_line.message
    walk.wait(lambda: dialog.continue_button.isEnabled() or dialog.status_line.message)
    assert dialog.continue_button.text() == "Save"
    assert dialog.continue_button.toolTip() == "Save (Ctrl+Return)"
    with qtbot.waitSignal(dialog.changed, timeout=60_000) as blocker:
        walk.click(dialog.continue_button)
    return str(blocker.args[0])


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    made = tmp_path / "one", tmp_path / "two"
    for folder in made:
        folder.mkdir()
    return made


@pytest.fixture
def file(walk: DialogWalk, folders: tuple[Path, Path], documents: Path) -> Path:
    """The file of a workflow that sorts the first folder."""
    walk.open("sort-folder")
    walk.answer(FOLDER=str(folders[0]))
    walk.start()
    return documents / "Dayhand" / "sort_folder.py"


def edit(session: Session, file: Path, old: str, new: str) -> None:
    """Change the file by hand and update the workflow."""
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1
    file.write_text(text.replace(old, new), encoding="utf-8")
    run_command(session, "deploy", path=str(file), source=file.read_text(encoding="utf-8"))


def test_other_answers_become_a_new_version_with_a_connection_of_its_own(
    walk: DialogWalk, page: WorkflowsPage, empty: Session, qtbot: QtBot, file: Path, folders: tuple[Path, Path]
) -> None:
    before = file.read_text(encoding="utf-8")
    dialog = open_answers(page, walk)
    field = dialog.answers.inputs["FOLDER"]
    assert isinstance(field, QLineEdit) and field.text() == str(folders[0])
    assert not dialog.name.isVisible() and not dialog.back.isVisible()
    walk.type(field, str(folders[1]))
    assert save(dialog, walk, qtbot) == "Answers changed."
    after = file.read_text(encoding="utf-8")
    assert after == before.replace(str(folders[0]), str(folders[1])).replace('"files:inbox"', '"files:inbox-2"')
    assert run_command(empty, "show", workflow="sort-folder")["version"] == 2
    assert all(one.is_allowed for one in empty.queries.permissions("sort-folder").tools)
    paths = {row.name: row.settings["path"] for row in connections.list_all(empty._runtime.database.read())}
    assert paths == {"files:inbox": str(folders[0]), "files:inbox-2": str(folders[1])}


def test_changes_made_by_hand_are_kept(
    walk: DialogWalk, page: WorkflowsPage, empty: Session, qtbot: QtBot, file: Path
) -> None:
    edit(empty, file, 'AT = "02:30"', 'AT = "02:30"  # when I sleep')
    edit(empty, file, "STABLE_SECONDS = 60", "STABLE_SECONDS = 61")
    dialog = open_answers(page, walk)
    walk.tick(dialog.answers.inputs["BACKUP"])
    save(dialog, walk, qtbot)
    text = file.read_text(encoding="utf-8")
    assert "BACKUP = True\n" in text and 'AT = "02:30"  # when I sleep' in text and "STABLE_SECONDS = 61" in text


def test_answers_that_were_replaced_by_hand_are_named_and_the_others_can_be_changed(
    walk: DialogWalk, page: WorkflowsPage, empty: Session, qtbot: QtBot, file: Path
) -> None:
    edit(empty, file, 'AT = "02:30"', 'AT = "0" + "4:30"')
    edit(empty, file, 'BACKUP_FOLDER = "~/Backup/Downloads"', "BACKUP_FOLDER = 7")
    dialog = open_answers(page, walk)
    assert dialog.summary.text() == (
        "This workflow's file was changed by hand; change these answers there: Backup folder, Backup time."
    )
    assert list(dialog.answers.inputs) == ["FOLDER", "BACKUP"]
    walk.tick(dialog.answers.inputs["BACKUP"])
    save(dialog, walk, qtbot)
    text = file.read_text(encoding="utf-8")
    assert "BACKUP = True\n" in text and 'AT = "0" + "4:30"' in text and "BACKUP_FOLDER = 7" in text


def test_a_file_with_changes_that_are_not_in_use_is_not_overwritten(
    walk: DialogWalk, page: WorkflowsPage, file: Path, wait: Wait
) -> None:
    wait(page.pane.change_answers.isVisible)
    file.write_text("# precious\n", encoding="utf-8")
    walk.click(page.pane.change_answers)
    wait(lambda: "was changed by hand and is not in use yet" in page.pane.status_line.message)
    assert file.read_text(encoding="utf-8") == "# precious\n" and page.findChildren(ChangeAnswersDialog) == []


def test_a_file_changed_while_the_dialog_was_open_is_not_overwritten(
    walk: DialogWalk, page: WorkflowsPage, file: Path, wait: Wait
) -> None:
    dialog = open_answers(page, walk)
    walk.tick(dialog.answers.inputs["BACKUP"])
    walk.click(dialog.continue_button)
    wait(dialog.continue_button.isEnabled)
    file.write_text("# precious\n", encoding="utf-8")
    walk.click(dialog.continue_button)
    wait(lambda: "was changed by hand" in dialog.status_line.message)
    assert file.read_text(encoding="utf-8") == "# precious\n"
    dialog.reject()


def test_a_deleted_file_is_written_again(walk: DialogWalk, page: WorkflowsPage, qtbot: QtBot, file: Path) -> None:
    file.unlink()
    dialog = open_answers(page, walk)
    walk.tick(dialog.answers.inputs["BACKUP"])
    save(dialog, walk, qtbot)
    assert read_constants(file.read_text(encoding="utf-8"))["BACKUP"] is True


def test_the_same_answers_change_nothing(
    walk: DialogWalk, page: WorkflowsPage, empty: Session, qtbot: QtBot, file: Path
) -> None:
    assert save(open_answers(page, walk), walk, qtbot) == "Nothing was changed."
    assert run_command(empty, "show", workflow="sort-folder")["version"] == 1


def test_a_failure_leaves_the_file_and_the_connections_as_they_were(
    walk: DialogWalk,
    page: WorkflowsPage,
    empty: Session,
    file: Path,
    folders: tuple[Path, Path],
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object) -> None:
        raise RefusedError("test", "Refused for the test.")

    before = file.read_text(encoding="utf-8")
    dialog = open_answers(page, walk)
    walk.type(dialog.answers.inputs["FOLDER"], str(folders[1]))
    walk.click(dialog.continue_button)
    wait(dialog.continue_button.isEnabled)
    monkeypatch.setattr(answers_change, "deploy", refuse)
    walk.click(dialog.continue_button)
    wait(lambda: dialog.status_line.message == "Refused for the test.")
    assert file.read_text(encoding="utf-8") == before
    assert [row.name for row in connections.list_all(empty._runtime.database.read())] == ["files:inbox"]
    dialog.reject()


def test_another_account_can_be_chosen_and_keeps_the_permissions(
    walk: DialogWalk, page: WorkflowsPage, empty: Session, qtbot: QtBot, documents: Path
) -> None:
    with running_smtp_server() as smtp, http_server(lambda _: Reply(200, b"<rss/>")) as server:
        for name in ("smtp:mail", "smtp:work"):
            run_command(empty, "connect", name=name, settings=smtp.settings(), test=False)
        dialog = walk.open("morning-digest")
        walk.wait(lambda: dialog._known.connected)
        walk.answer(FEED=server.url, TO="me@example.org")
        walk.go_on()
        walk.start()
        changing = open_answers(page, walk)
        field = changing.answers.inputs["FEED"]
        assert isinstance(field, QLineEdit) and field.text() == server.url, "it is in the connection only"
        walk.wait(lambda: changing._known.connected)
        walk.click(changing.continue_button)
        account = changing.accounts.fields["MAIL"]
        assert account.value() == "smtp:mail"
        account.choice.setCurrentIndex(account.choice.findData("smtp:work"))
        save(changing, walk, qtbot)
    assert 'MAIL = "smtp:work"' in (documents / "Dayhand" / "morning_digest.py").read_text()
    tools = {(one.connection, one.tool): one.is_allowed for one in empty.queries.permissions("morning-digest").tools}
    assert tools == {("feed:news", "entries"): True, ("smtp:work", "send"): True}


def test_a_watched_text_can_be_chosen_again_and_is_not_reported_as_a_change(
    walk: DialogWalk, page: WorkflowsPage, qtbot: QtBot
) -> None:
    body = "<html><h1>Lamp</h1><p>12 €</p><ul><li>Delivery in 3 days</li></ul></html>"
    with http_server(lambda _: Reply(200, body.encode(), {"Content-Type": "text/html; charset=utf-8"})) as server:
        walk.open("watch-page")
        walk.answer(PAGE=f"{server.url.rstrip('/')}/lamp")
        walk.choose_on_page("WATCHED", "12 €")
        slug = walk.start()
        walk.wait_for_run(slug, handler="check")
        dialog = open_answers(page, walk)
        field = dialog.answers.inputs["WATCHED"]
        assert isinstance(field, PageTextField) and field.chosen_text.text() == "12 €"
        walk.dialog = dialog
        walk.choose_on_page("WATCHED", "Delivery in 3 days")
        save(dialog, walk, qtbot)
        walk.run_now()
        walk.wait(lambda: walk.count_runs(slug, "check") >= 2)
    assert walk.messages == []


def test_a_workflow_of_your_own_has_no_answers_to_change(
    walk: DialogWalk, page: WorkflowsPage, opened: list[str]
) -> None:
    walk.open("empty-script")
    walk.start()
    assert not page.pane.change_answers.isVisible()


def test_numbers_are_shown_as_they_are_in_the_script(walk: DialogWalk, page: WorkflowsPage) -> None:
    dialog = walk.open("certificates-and-disks")
    walk.type(dialog.answers.inputs["FULL"].lineEdit(), "73")
    walk.start()
    changing = open_answers(page, walk)
    field = changing.answers.inputs["FULL"]
    assert isinstance(field, QSpinBox) and field.value() == 73
    changing.reject()
