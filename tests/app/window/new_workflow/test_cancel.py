"""Whoever cancels a new workflow or other answers, wherever that is, finds everything as it was."""

import errno
import io
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.session import Session
from app.window.new_workflow import template_setup
from app.window.new_workflow.answers_dialog import ChangeAnswersDialog
from app.window.workflows.page import WorkflowsPage
from scheduler.engine.errors import RefusedError
from scheduler.store import connections, workflows
from tests.app.app_fixture import Wait
from tests.app.window.new_workflow.dialog_walk import DialogWalk
from tests.connections.smtp_server import running_smtp_server
from tests.connections.web_servers import Reply, http_server


def list_everything(session: Session, documents: Path) -> tuple[list[str], list[str], list[Path]]:
    """Connections, workflows, and files with their folders."""
    db = session._runtime.database.read()
    names = [row.name for row in connections.list_all(db)], [row.slug for row in workflows.list_all(db)]
    return (*names, sorted(documents.rglob("*")) if documents.exists() else [])


NOTHING: tuple[list[str], list[str], list[Path]] = ([], [], [])


@pytest.mark.parametrize("way", ["button", "escape", "close"])
@pytest.mark.parametrize("step", ["accounts", "checking", "ready", "back"])
def test_a_connected_account_is_gone_however_and_wherever_the_user_cancels(
    walk: DialogWalk, empty: Session, documents: Path, qtbot: QtBot, step: str, way: str
) -> None:
    with running_smtp_server() as smtp, http_server(lambda _: Reply(200, b"<rss/>")) as server:
        dialog = walk.open("morning-digest")
        walk.answer(FEED=server.url, TO="me@example.org")
        walk.go_on()
        walk.connect("MAIL", smtp.settings())
        if step != "accounts":
            walk.go_on()
        if step in ("ready", "back"):
            walk.wait(dialog.continue_button.isEnabled)
        if step == "back":
            walk.click(dialog.back)
            walk.click(dialog.back)
            assert dialog.current_page() is dialog.questions_page
        assert list_everything(empty, documents) == (["smtp:mail"], [], [])
        match way:
            case "button":
                walk.click(dialog.cancel)
            case "escape":
                qtbot.keyClick(dialog, Qt.Key.Key_Escape)
            case "close":
                dialog.close()
        walk.wait(lambda: list_everything(empty, documents) == NOTHING)


def test_a_start_that_fails_removes_the_folder_that_it_made(
    walk: DialogWalk, empty: Session, documents: Path, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise RefusedError("test", "Refused for the test.")

    dialog = walk.open("run-command")
    walk.answer(COMMAND="true")
    walk.go_on()
    wait(dialog.continue_button.isEnabled)
    monkeypatch.setattr(template_setup, "deploy", refuse)
    walk.go_on()
    wait(lambda: dialog.status_line.message == "Refused for the test.")
    assert list_everything(empty, documents) == NOTHING and not documents.exists()
    walk.click(dialog.cancel)


def test_a_file_that_cannot_be_written_in_full_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class FullDisk(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    def open_on_full_disk(path: Path, *_: object, **__: object) -> FullDisk:
        path.touch()
        return FullDisk()

    monkeypatch.setattr(Path, "open", open_on_full_disk)
    with pytest.raises(RefusedError, match=r"cannot be written: No space left on device"):
        template_setup.write_new_file(tmp_path / "a.py", "x")
    assert list(tmp_path.iterdir()) == []


def test_other_answers_that_are_cancelled_leave_the_workflow_and_its_accounts_as_they_were(
    walk: DialogWalk, page: WorkflowsPage, empty: Session, documents: Path
) -> None:
    with running_smtp_server() as smtp, http_server(lambda _: Reply(200, b"<rss/>")) as server:
        walk.open("morning-digest")
        walk.answer(FEED=server.url, TO="me@example.org")
        walk.go_on()
        walk.connect("MAIL", smtp.settings())
        walk.start()
        script = documents / "Dayhand" / "morning_digest.py"
        before, text = list_everything(empty, documents), script.read_text(encoding="utf-8")
        walk.wait(page.pane.change_answers.isVisible)
        walk.click(page.pane.change_answers)
        changing = walk.wait(lambda: (page.findChildren(ChangeAnswersDialog) or [None])[-1])
        walk.wait(lambda: changing._known.connected)
        walk.dialog = changing
        walk.answer(TO="you@example.org", FEED=f"{server.url}other")
        walk.go_on()
        account = changing.accounts.fields["MAIL"]
        account.connect_requested.emit(account.question)
        connecting = walk.open_connect_dialog()
        for key, value in smtp.settings().items():
            walk.set(connecting.inputs[key], value)
        walk.click(connecting.connect_button)
        walk.wait(lambda: account.value() == "smtp:mail-2")
        walk.go_on()
        walk.wait(changing.continue_button.isEnabled)
        walk.click(changing.cancel)
        walk.wait(lambda: list_everything(empty, documents) == before)
    assert script.read_text(encoding="utf-8") == text
