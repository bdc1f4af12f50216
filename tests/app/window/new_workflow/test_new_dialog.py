"""A new workflow from a template: filled in, written, reviewed and added; cancelled, it leaves nothing."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.i18n.template_labels import TEMPLATE_TEXTS
from app.session import Session
from app.template_questions import QuestionKind, TemplateQuestion
from app.templates import list_templates
from app.window.new_workflow import script_file
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.new_workflow.new_dialog import NewWorkflowDialog
from app.window.new_workflow.script_file import delete_if_unchanged, describe_bad_answer, suggest_path
from app.window.workflows.page import WorkflowsPage
from scheduler.store import connections, workflows
from tests.app.app_fixture import Wait, deploy


@pytest.fixture
def documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where proposed files go, instead of the real documents folder."""
    place = tmp_path / "documents"
    monkeypatch.setattr(script_file.QStandardPaths, "writableLocation", lambda _: str(place))
    return place


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Files opened in the editor; replaces the desktop's own way to open them."""
    paths: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: paths.append(QUrl(url).toLocalFile()))
    return paths


@pytest.fixture
def page(qtbot: QtBot, empty: Session, documents: Path, wait: Wait) -> WorkflowsPage:
    made = WorkflowsPage(empty)
    qtbot.addWidget(made)
    made.resize(1100, 760)
    made.show()
    made.refresh()
    wait(lambda: made.body.currentWidget() is made.empty)
    return made


def begin(page: WorkflowsPage, slug: str) -> NewWorkflowDialog:
    page.create_workflow()
    dialog = page.findChildren(NewWorkflowDialog)[-1]
    dialog.list.setCurrentRow([one.slug for one in dialog.templates].index(slug))
    return dialog


def proposal(page: WorkflowsPage) -> DeployDialog | None:
    dialogs = page.findChildren(DeployDialog)
    return dialogs[-1] if dialogs and dialogs[-1].checked_script is not None else None


def test_a_script_is_written_reviewed_deployed_paused_and_opened(
    page: WorkflowsPage, empty: Session, documents: Path, opened: list[str], wait: Wait
) -> None:
    inbox = documents.parent / "in"
    inbox.mkdir()
    assert page.empty.button is not None
    page.empty.button.click()
    [dialog] = page.findChildren(NewWorkflowDialog)
    dialog.list.setCurrentRow([one.slug for one in dialog.templates].index("sort-folder"))
    dialog.inputs["FOLDER"].setText(str(inbox))
    dialog.inputs["BACKUP"].setText(str(documents.parent / "copy"))
    dialog.name.setText("Tidy up")
    dialog.continue_button.click()
    deploying = wait(lambda: proposal(page))
    path = documents / "Dayhand" / "sort_folder.py"
    assert f'"{inbox}"' in path.read_text(encoding="utf-8")
    assert deploying.checked_script.name == "Tidy up" and deploying.paused.isChecked()
    assert deploying.allowed() == list(deploying.checked_script.uses) != []
    assert workflows.list_all(empty._runtime.database.read()) == [], "nothing is deployed before the user confirms"
    deploying.accept_button.click()
    wait(lambda: opened == [str(path)])
    assert run_command(empty, "show", workflow="tidy-up")["state"] == "paused"
    wait(lambda: page.pane.data is not None and page.pane.slug == "tidy-up")
    row = connections.find(empty._runtime.database.read(), "files:inbox")
    assert row is not None and row.settings["path"] == str(inbox)


def test_cancelling_deletes_the_script_and_opens_no_editor(
    page: WorkflowsPage, empty: Session, documents: Path, opened: list[str], wait: Wait
) -> None:
    dialog = begin(page, "nightly-command")
    dialog.inputs["COMMAND"].setText("true")
    dialog.continue_button.click()
    deploying = wait(lambda: proposal(page))
    assert (documents / "Dayhand" / "nightly_command.py").exists()
    deploying.reject()
    wait(lambda: not (documents / "Dayhand" / "nightly_command.py").exists())
    assert opened == [] and workflows.list_all(empty._runtime.database.read()) == []


def test_an_invalid_answer_is_reported_with_its_field(page: WorkflowsPage, documents: Path) -> None:
    dialog = begin(page, "nightly-command")
    dialog.continue_button.click()
    assert dialog.status_line.message == f"{dialog.inputs['COMMAND'].accessibleName()}: This field is required."
    dialog.inputs["COMMAND"].setText("echo 'a")
    dialog.continue_button.click()
    assert dialog.status_line.message.endswith("Enter one command with matching quotes. For shell syntax: sh -c '…'")
    dialog.inputs["COMMAND"].setText("echo a")
    dialog.inputs["AT"].setText("late")
    dialog.continue_button.click()
    assert dialog.status_line.message == f"{dialog.inputs['AT'].accessibleName()}: Enter a time such as 09:00."
    dialog.inputs["AT"].setText("9:00")
    dialog.name.setText(" ")
    dialog.continue_button.click()
    assert dialog.status_line.message == "Name: This field is required."
    assert not documents.exists()
    dialog.reject()


def test_an_existing_file_is_never_replaced_and_another_name_is_proposed(
    page: WorkflowsPage, documents: Path, wait: Wait
) -> None:
    precious = documents / "Dayhand" / "nightly_command.py"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    dialog = begin(page, "nightly-command")
    assert dialog.file.text() == str(documents / "Dayhand" / "nightly_command_2.py")
    dialog.inputs["COMMAND"].setText("true")
    dialog.file.setText(str(precious.with_suffix("")))
    dialog.continue_button.click()
    wait(lambda: "already exists" in dialog.status_line.message)
    assert precious.read_text() == "precious" and dialog.continue_button.isEnabled()
    dialog.file.setText(str(precious / "below.py"))
    dialog.continue_button.click()
    wait(lambda: "cannot be written" in dialog.status_line.message)
    dialog.reject()


def test_an_existing_name_is_refused_before_anything_is_written(
    page: WorkflowsPage, empty: Session, documents: Path, wait: Wait
) -> None:
    deploy(empty, "Nightly", "pass")
    dialog = begin(page, "nightly-command")
    dialog.inputs["COMMAND"].setText("true")
    dialog.name.setText("nightly")
    dialog.continue_button.click()
    wait(lambda: "A workflow named nightly already exists" in dialog.status_line.message)
    assert not documents.exists()
    dialog.reject()


def test_an_existing_connection_is_not_changed(
    page: WorkflowsPage, empty: Session, documents: Path, wait: Wait
) -> None:
    elsewhere = documents.parent / "elsewhere"
    run_command(empty, "connect", name="files:inbox", settings={"path": str(elsewhere)}, test=False)
    dialog = begin(page, "sort-folder")
    dialog.inputs["FOLDER"].setText(str(documents.parent / "in"))
    dialog.inputs["BACKUP"].setText(str(documents.parent / "copy"))
    dialog.continue_button.click()
    wait(lambda: str(elsewhere) in dialog.status_line.message)
    assert list((documents / "Dayhand").iterdir()) == []
    row = connections.find(empty._runtime.database.read(), "files:inbox")
    assert row is not None and row.settings["path"] == str(elsewhere)
    dialog.reject()


def test_an_invalid_connection_is_refused_and_an_unreachable_one_is_saved(
    page: WorkflowsPage, empty: Session, documents: Path, wait: Wait
) -> None:
    dialog = begin(page, "mailed-receipts")
    dialog.inputs["TABLE"].setText(str(documents.parent / "t.doc"))
    dialog.continue_button.click()
    wait(lambda: "is not a table" in dialog.status_line.message)
    assert list((documents / "Dayhand").iterdir()) == []
    dialog.list.setCurrentRow([one.slug for one in dialog.templates].index("watch-page"))
    dialog.inputs["PAGE"].setText("http://127.0.0.1:9/lamp")
    dialog.continue_button.click()
    wait(lambda: proposal(page)).reject()
    row = connections.find(empty._runtime.database.read(), "http:page")
    assert row is not None and row.settings["base_url"] == "http://127.0.0.1:9"


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_template_shows_its_questions(page: WorkflowsPage, template: object) -> None:
    [chosen] = [one for one in list_templates() if one is template]
    dialog = begin(page, chosen.slug)
    assert list(dialog.inputs) == [one.name for one in chosen.questions]
    assert [dialog.inputs[one.name].accessibleName() for one in chosen.questions] == [
        one.text for one in chosen.questions
    ]
    assert all(widget.isVisible() for widget in (*dialog.inputs.values(), dialog.name, dialog.file, dialog.edit_box))
    paths = [one for one in chosen.questions if one.kind in (QuestionKind.FOLDER, QuestionKind.FILE)]
    buttons = [one for one in dialog.form.findChildren(QPushButton) if one.text() == "Choose…"]
    assert len(buttons) == len(paths) + 1
    dialog.reject()


def test_every_text_of_a_template_can_be_translated() -> None:
    texts = {text for one in list_templates() for text in (one.name, one.summary, *(ask.text for ask in one.questions))}
    assert texts == {str(word) for word in TEMPLATE_TEXTS}


def test_a_script_that_was_changed_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("mine", encoding="utf-8")
    delete_if_unchanged(path, "ours")
    assert path.exists()
    delete_if_unchanged(path, "mine")
    assert not path.exists()
    delete_if_unchanged(path, "gone already")


@pytest.mark.parametrize("kind", list(QuestionKind))
def test_an_invalid_answer_of_each_kind_has_a_message(kind: QuestionKind) -> None:
    question = TemplateQuestion(name="X", text="?", kind=kind, default="", required=True)
    assert describe_bad_answer(question, "  ") == "This field is required."
    assert describe_bad_answer(question, "x") not in ("", "This field is required.")


def test_a_file_is_proposed_in_the_documents_folder(documents: Path) -> None:
    [template] = [one for one in list_templates() if one.slug == "watch-page"]
    assert suggest_path(template) == documents / "Dayhand" / "watch_page.py"
