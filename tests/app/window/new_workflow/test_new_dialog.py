"""A new workflow from a template: asked, written, looked at and deployed, and nothing left of one given up."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.questions import Kind, Question
from app.templates import all_templates
from app.window import new_script
from app.window.deploy_dialog import DeployDialog
from app.window.new_dialog import NewDialog
from app.window.new_script import propose_file, say_bad_answer, take_back
from app.window.workflows import WorkflowsPage
from app.words.templates import WORDS
from scheduler.store import connections, workflows
from tests.app.living import Wait, deploy


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where proposed files go: never the documents of whoever runs the tests."""
    place = tmp_path / "documents"
    monkeypatch.setattr(new_script.QStandardPaths, "writableLocation", lambda _: str(place))
    return place


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What an editor was asked to open. There is none here, so this stands in for the desktop."""
    asked: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: asked.append(QUrl(url).toLocalFile()))
    return asked


@pytest.fixture
def page(qtbot: QtBot, empty: Installation, documents: Path, wait: Wait) -> WorkflowsPage:
    made = WorkflowsPage(empty)
    qtbot.addWidget(made)
    made.resize(1100, 760)
    made.show()
    made.refresh()
    wait(lambda: made.body.currentWidget() is made.empty)
    return made


def begin(page: WorkflowsPage, slug: str) -> NewDialog:
    page.begin_new()
    dialog = page.findChildren(NewDialog)[-1]
    dialog.list.setCurrentRow([one.slug for one in dialog.templates].index(slug))
    return dialog


def proposal(page: WorkflowsPage) -> DeployDialog | None:
    found = page.findChildren(DeployDialog)
    return found[-1] if found and found[-1].offer is not None else None


def test_it_is_written_looked_at_deployed_paused_and_opened(
    page: WorkflowsPage, empty: Installation, documents: Path, opened: list[str], wait: Wait
) -> None:
    inbox = documents.parent / "in"
    inbox.mkdir()
    assert page.empty.button is not None
    page.empty.button.click()
    [dialog] = page.findChildren(NewDialog)
    dialog.list.setCurrentRow([one.slug for one in dialog.templates].index("sort-folder"))
    dialog.inputs["FOLDER"].setText(str(inbox))
    dialog.inputs["BACKUP"].setText(str(documents.parent / "copy"))
    dialog.name.setText("Tidy up")
    dialog.go_on.click()
    deploying = wait(lambda: proposal(page))
    path = documents / "Dayhand" / "sort_folder.py"
    assert f'"{inbox}"' in path.read_text(encoding="utf-8")
    assert deploying.offer.name == "Tidy up" and deploying.paused.isChecked()
    assert deploying.allowed() == list(deploying.offer.uses) != []
    assert workflows.every_one(empty.database.read()) == [], "nothing is deployed before one has looked"
    deploying.accept_button.click()
    wait(lambda: opened == [str(path)])
    assert command(empty, "show", workflow="tidy-up")["state"] == "paused"
    wait(lambda: page.pane.facts is not None and page.pane.slug == "tidy-up")
    row = connections.find(empty.database.read(), "files:inbox")
    assert row is not None and row.settings["path"] == str(inbox)


def test_whoever_cancels_finds_nothing_and_is_shown_no_editor(
    page: WorkflowsPage, empty: Installation, documents: Path, opened: list[str], wait: Wait
) -> None:
    dialog = begin(page, "nightly-command")
    dialog.inputs["COMMAND"].setText("true")
    dialog.go_on.click()
    deploying = wait(lambda: proposal(page))
    assert (documents / "Dayhand" / "nightly_command.py").exists()
    deploying.reject()
    wait(lambda: not (documents / "Dayhand" / "nightly_command.py").exists())
    assert opened == [] and workflows.every_one(empty.database.read()) == []


def test_an_answer_that_cannot_be_used_is_said_where_it_is(page: WorkflowsPage, documents: Path) -> None:
    dialog = begin(page, "nightly-command")
    dialog.go_on.click()
    assert dialog.saying.sentence == "Which command is to run? An answer is missing here."
    dialog.inputs["COMMAND"].setText("echo 'a")
    dialog.go_on.click()
    assert dialog.saying.sentence.endswith("Write one command with quotes that match. What needs a shell: sh -c '…'")
    dialog.inputs["COMMAND"].setText("echo a")
    dialog.inputs["AT"].setText("late")
    dialog.go_on.click()
    assert dialog.saying.sentence == "At what time? Write a time of day, such as 09:00."
    dialog.inputs["AT"].setText("9:00")
    dialog.name.setText(" ")
    dialog.go_on.click()
    assert dialog.saying.sentence == "What is the workflow to be called? An answer is missing here."
    assert not documents.exists()
    dialog.reject()


def test_a_file_that_is_there_is_never_replaced_and_another_is_proposed(
    page: WorkflowsPage, documents: Path, wait: Wait
) -> None:
    precious = documents / "Dayhand" / "nightly_command.py"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    dialog = begin(page, "nightly-command")
    assert dialog.file.text() == str(documents / "Dayhand" / "nightly_command_2.py")
    dialog.inputs["COMMAND"].setText("true")
    dialog.file.setText(str(precious.with_suffix("")))
    dialog.go_on.click()
    wait(lambda: "is there already" in dialog.saying.sentence)
    assert precious.read_text() == "precious" and dialog.go_on.isEnabled()
    dialog.file.setText(str(precious / "below.py"))
    dialog.go_on.click()
    wait(lambda: "cannot be written" in dialog.saying.sentence)
    dialog.reject()


def test_a_name_that_is_taken_is_refused_before_anything_is_written(
    page: WorkflowsPage, empty: Installation, documents: Path, wait: Wait
) -> None:
    deploy(empty, "Nightly", "pass")
    dialog = begin(page, "nightly-command")
    dialog.inputs["COMMAND"].setText("true")
    dialog.name.setText("nightly")
    dialog.go_on.click()
    wait(lambda: "There is a workflow called nightly already" in dialog.saying.sentence)
    assert not documents.exists()
    dialog.reject()


def test_a_connection_that_others_use_stays_as_it_is(
    page: WorkflowsPage, empty: Installation, documents: Path, wait: Wait
) -> None:
    elsewhere = documents.parent / "elsewhere"
    command(empty, "connect", name="files:inbox", settings={"path": str(elsewhere)}, test=False)
    dialog = begin(page, "sort-folder")
    dialog.inputs["FOLDER"].setText(str(documents.parent / "in"))
    dialog.inputs["BACKUP"].setText(str(documents.parent / "copy"))
    dialog.go_on.click()
    wait(lambda: str(elsewhere) in dialog.saying.sentence)
    assert list((documents / "Dayhand").iterdir()) == []
    row = connections.find(empty.database.read(), "files:inbox")
    assert row is not None and row.settings["path"] == str(elsewhere)
    dialog.reject()


def test_what_cannot_be_connected_is_refused_and_what_is_away_is_connected_for_later(
    page: WorkflowsPage, empty: Installation, documents: Path, wait: Wait
) -> None:
    dialog = begin(page, "mailed-receipts")
    dialog.inputs["TABLE"].setText(str(documents.parent / "t.doc"))
    dialog.go_on.click()
    wait(lambda: "is not a table" in dialog.saying.sentence)
    assert list((documents / "Dayhand").iterdir()) == []
    dialog.list.setCurrentRow([one.slug for one in dialog.templates].index("watch-page"))
    dialog.inputs["PAGE"].setText("http://127.0.0.1:9/lamp")
    dialog.go_on.click()
    wait(lambda: proposal(page)).reject()
    row = connections.find(empty.database.read(), "http:page")
    assert row is not None and row.settings["base_url"] == "http://127.0.0.1:9"


@pytest.mark.parametrize("template", all_templates(), ids=lambda one: one.slug)
def test_each_template_asks_its_questions(page: WorkflowsPage, template: object) -> None:
    [wanted] = [one for one in all_templates() if one is template]
    dialog = begin(page, wanted.slug)
    assert list(dialog.inputs) == [one.name for one in wanted.questions]
    assert [dialog.inputs[one.name].accessibleName() for one in wanted.questions] == [
        one.text for one in wanted.questions
    ]
    assert all(widget.isVisible() for widget in (*dialog.inputs.values(), dialog.name, dialog.file, dialog.editing))
    paths = [one for one in wanted.questions if one.kind in (Kind.FOLDER, Kind.FILE)]
    buttons = [one for one in dialog.form.findChildren(QPushButton) if one.text() == "Choose…"]
    assert len(buttons) == len(paths) + 1
    dialog.reject()


def test_every_word_of_a_template_can_be_translated() -> None:
    said = {text for one in all_templates() for text in (one.name, one.summary, *(ask.text for ask in one.questions))}
    assert said == {str(word) for word in WORDS}


def test_what_somebody_has_changed_is_not_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("mine", encoding="utf-8")
    take_back(path, "ours")
    assert path.exists()
    take_back(path, "mine")
    assert not path.exists()
    take_back(path, "gone already")


@pytest.mark.parametrize("kind", list(Kind))
def test_a_bad_answer_of_each_kind_has_a_sentence_of_its_own(kind: Kind) -> None:
    question = Question(name="X", text="?", kind=kind, default="", required=True)
    assert say_bad_answer(question, "  ") == "An answer is missing here."
    assert say_bad_answer(question, "x") not in ("", "An answer is missing here.")


def test_a_file_is_proposed_among_the_documents(documents: Path) -> None:
    [template] = [one for one in all_templates() if one.slug == "watch-page"]
    assert propose_file(template) == documents / "Dayhand" / "watch_page.py"
