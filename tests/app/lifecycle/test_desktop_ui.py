"""The desktop interface of a running session: notifications with buttons, a window that closes without quitting.

The notification daemon is a fake on a private bus; tests/desktop has the real one, and a tray."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.data.preferences import Preferences
from app.demo import prepare_demo
from app.lifecycle import desktop_ui
from app.lifecycle.desktop_ui import DesktopUi
from app.lifecycle.restart_loop import tell_author
from app.lifecycle.startup import StartOptions
from app.platform.dbus import Bus
from app.platform.machine_conditions import MachineConditions
from app.session import Session
from app.tray.icon import TrayIcon, make_tooltip
from app.tray.menu import MenuChoice, make_entries
from app.window.attention.page import AttentionPage
from app.window.connections.connect_dialog import ConnectDialog
from app.window.new_workflow.deploy_dialog import DeployDialog
from app.window.requests import delayed_answers
from scheduler.engine.errors import RefusedError
from scheduler.engine.queries.requests import RequestView
from scheduler.store import connections
from tests.app.app_fixture import Wait, deploy, empty, installation, request_, started, table_lines, wait
from tests.app.notifications.recording_backend import ABLE, FakeDaemon
from tests.desktop.buses import PrivateBus
from tests.desktop.fixtures import daemon

__all__ = ["daemon", "empty", "installation", "request_", "wait"]


@pytest.fixture
def screen(daemon: PrivateBus) -> Iterator[FakeDaemon]:
    """What the notification daemon shows."""
    made = FakeDaemon(daemon.address, *ABLE)
    yield made
    made.leave()


@pytest.fixture
def make_shell(qtbot: QtBot, daemon: PrivateBus, screen: FakeDaemon) -> Iterator[Callable[..., DesktopUi]]:
    made: list[tuple[DesktopUi, Bus]] = []
    closed: list[DesktopUi] = []

    def make(around: Session, preferences: Preferences | None = None, *, background: bool = False) -> DesktopUi:
        bus = Bus(daemon.address, retry_ms=20)
        shell = DesktopUi(around, MachineConditions(), bus, TrayIcon(bus), preferences or Preferences())
        made.append((shell, bus))
        shell.start(StartOptions(background=background))
        return shell

    def close(shell: DesktopUi) -> None:
        """As when the app quits."""
        closed.append(shell)
        shell.close()

    make.close = close  # type: ignore[attr-defined]
    yield make
    for shell, bus in made:
        if shell not in closed:
            shell.close()
        bus.close()
    QApplication.processEvents()


def find_number(screen: FakeDaemon, title: str) -> int | None:
    return next((number for number, body in list(screen.shown.items()) if body[3] == title), None)


def test_a_button_of_a_notification_answers_the_request(
    make_shell: Callable[..., DesktopUi],
    installation: Session,
    request_: RequestView,
    screen: FakeDaemon,
    wait: Wait,
) -> None:
    make_shell(installation)
    number = wait(lambda: find_number(screen, "Receipts"))
    assert "Add 3 receipts (45.55) to Expenses" in screen.shown[number][4]
    assert screen.shown[number][5] == ["approve", "Approve", "reject", "Reject"]
    screen.press(number, "approve")
    wait(lambda: len(table_lines(installation)) == 4)
    wait(lambda: installation.queries.run(str(request_.run)).status == "committed")
    wait(lambda: "Receipts" not in screen.titles())


def test_reconnecting_from_a_notification_opens_the_form_and_then_resumes_the_run(
    make_shell: Callable[..., DesktopUi],
    installation: Session,
    request_: RequestView,
    screen: FakeDaemon,
    wait: Wait,
) -> None:
    def find_lost() -> int | None:
        return next((number for number, shown in screen.shown.items() if "reconnect" in shown[5]), None)

    shell = make_shell(installation)
    with installation._runtime.database.write() as db:
        connections.set_trouble(db, "table:expenses", "The disk is not there. Plug it in and connect again.")
    run_command(installation, "approve", request=request_.id)
    screen.press(wait(find_lost), "reconnect")
    dialog = wait(lambda: shell.window.findChild(ConnectDialog))
    assert dialog.connection_name == "table:expenses"
    dialog.connect_button.click()
    wait(lambda: len(table_lines(installation)) == 4)
    wait(lambda: find_lost() is None)


def test_a_notification_is_withdrawn_when_its_request_is_answered_elsewhere(
    make_shell: Callable[..., DesktopUi],
    installation: Session,
    request_: RequestView,
    screen: FakeDaemon,
    wait: Wait,
) -> None:
    make_shell(installation)
    wait(lambda: find_number(screen, "Receipts"))
    run_command(installation, "reject", request=request_.id)
    wait(lambda: "Receipts" not in screen.titles())


def test_a_button_pressed_too_late_shows_a_message(
    make_shell: Callable[..., DesktopUi],
    installation: Session,
    request_: RequestView,
    screen: FakeDaemon,
    wait: Wait,
) -> None:
    """The interface still takes it for open; the database decides."""
    shell = make_shell(installation)
    wait(lambda: shell.overview_watcher.latest and shell.overview_watcher.latest.requests)
    shell.window.hide()
    shell.overview_watcher.changed.disconnect()
    stale = shell.overview_watcher.latest
    run_command(installation, "reject", request=request_.id)
    shell.overview_watcher.latest = stale
    shell.notifier.pressed.emit(request_.id, "approve")
    number = wait(lambda: find_number(screen, "That did not work"))
    assert "You rejected this at" in screen.shown[number][4]
    assert table_lines(installation) == []


@pytest.mark.parametrize("leave", ["close", "quit"])
def test_an_answer_refused_after_the_window_was_closed_is_told(
    make_shell: Callable[..., DesktopUi],
    installation: Session,
    request_: RequestView,
    screen: FakeDaemon,
    wait: Wait,
    monkeypatch: pytest.MonkeyPatch,
    *,
    leave: str,
) -> None:
    """It was given, and could still be undone, when the window was closed or the app quit."""
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 600_000)
    shell = make_shell(installation)
    wait(lambda: find_number(screen, "Receipts"))
    shell.window.open_page("attention")
    page = shell.window.pages["attention"]
    assert isinstance(page, AttentionPage)
    wait(lambda: page.cards.cards)
    page.cards.cards[request_.id].buttons["approve"].click()
    shell.overview_watcher.changed.disconnect()
    run_command(installation, "reject", request=request_.id)
    if leave == "close":
        shell.window.hide()
    else:
        make_shell.close(shell)  # type: ignore[attr-defined]
    number = wait(lambda: find_number(screen, "That did not work"))
    assert screen.shown[number][4].startswith("Receipts: You rejected this at ")
    assert table_lines(installation) == []


def test_an_action_that_was_not_offered_only_opens_the_page(
    make_shell: Callable[..., DesktopUi], installation: Session, request_: RequestView, wait: Wait
) -> None:
    shell = make_shell(installation, background=True)
    wait(lambda: shell.overview_watcher.latest and shell.overview_watcher.latest.requests)
    shell.notifier.pressed.emit(request_.id, "always")
    wait(shell.window.isVisible)
    assert [one.id for one in installation.queries.attention()] == [request_.id]


@pytest.mark.parametrize("is_summary", [False, True])
def test_review_and_open_in_a_notification_go_to_the_request(
    make_shell: Callable[..., DesktopUi], installation: Session, request_: RequestView, wait: Wait, *, is_summary: bool
) -> None:
    shell = make_shell(installation, background=True)
    wait(lambda: shell.overview_watcher.latest and shell.overview_watcher.latest.requests)
    if is_summary:
        shell.notifier.show_requested.emit(frozenset({request_.id, "solved before"}))
    else:
        shell.notifier.pressed.emit(request_.id, "review")
    page = shell.window.pages["attention"]
    assert isinstance(page, AttentionPage)
    wait(lambda: request_.id in page.cards.cards and shell.window.focusWidget() is page.cards.cards[request_.id])


def test_notifications_can_be_turned_off_and_on(
    make_shell: Callable[..., DesktopUi],
    installation: Session,
    request_: RequestView,
    screen: FakeDaemon,
    wait: Wait,
) -> None:
    shell = make_shell(installation, Preferences(notices=False))
    wait(lambda: shell.overview_watcher.latest and shell.overview_watcher.latest.requests)
    assert screen.titles() == []
    shell.apply_preferences(Preferences(notices=True))
    wait(lambda: find_number(screen, "Receipts"))


def test_a_message_of_a_workflow_is_shown(
    make_shell: Callable[..., DesktopUi], empty: Session, screen: FakeDaemon, wait: Wait
) -> None:
    make_shell(empty)
    empty.message_sent.emit("Backup", "The disk is nearly full.")
    number = wait(lambda: find_number(screen, "Backup"))
    assert "The disk is nearly full." in screen.shown[number][4]


def test_a_saved_script_that_could_not_be_used_is_told_to_an_author_who_looks_elsewhere(
    make_shell: Callable[..., DesktopUi], empty: Session, screen: FakeDaemon, wait: Wait
) -> None:
    tell_author(make_shell(empty, background=True), empty, "backup.py was saved, but …")
    number = wait(lambda: find_number(screen, "Script not updated"))
    assert "backup.py was saved" in screen.shown[number][4]


def test_without_a_tray_a_closed_window_is_minimised_with_a_notification(
    make_shell: Callable[..., DesktopUi], empty: Session, screen: FakeDaemon, wait: Wait
) -> None:
    """The test platform has no tray at all."""
    shell = make_shell(empty)
    wait(lambda: shell.overview_watcher.latest)
    shell.window.close()
    assert shell.window.isMinimized()
    number = wait(lambda: find_number(screen, "Dayhand is still running"))
    assert "no tray" in screen.shown[number][4]
    assert "minimised" in shell.window.status.text()
    shell.show_window()
    wait(lambda: find_number(screen, "Dayhand is still running") is None)
    assert shell.window.status.text() == "No workflows yet"


def test_started_in_the_background_without_a_tray_a_minimised_window_appears(
    make_shell: Callable[..., DesktopUi], empty: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desktop_ui, "_TRAY_TIMEOUT_MS", 1)
    shell = make_shell(empty, background=True)
    assert not shell.window.isVisible()
    wait(shell.window.isMinimized)


def test_started_hidden_the_window_is_created_on_first_use(
    make_shell: Callable[..., DesktopUi],
    installation: Session,
    request_: RequestView,
    screen: FakeDaemon,
    wait: Wait,
) -> None:
    """Changes, messages and refusals need none; once created it shows the current state."""
    shell = make_shell(installation, background=True)
    wait(lambda: find_number(screen, "Receipts"))
    shell.status_message.emit("Something happened.")
    shell._show_refusal("refused:run", RuntimeError("No."))
    wait(lambda: find_number(screen, "That did not work"))
    assert shell.visible_window() is None
    assert shell._window is None
    shell.tray.activated.emit()
    assert shell.visible_window() is shell.window
    assert shell.window.status.text().startswith("1 item needs your attention")


def test_a_second_start_brings_the_window_to_the_front(
    make_shell: Callable[..., DesktopUi], empty: Session, wait: Wait
) -> None:
    shell = make_shell(empty)
    shell.window.showMinimized()
    run_command(empty, "window")
    wait(lambda: shell.window.isVisible() and not shell.window.isMinimized())


def test_a_second_start_with_a_script_opens_it_in_the_window(
    make_shell: Callable[..., DesktopUi], empty: Session, wait: Wait, tmp_path: Path
) -> None:
    shell = make_shell(empty, background=True)
    run_command(empty, "window", file=str(tmp_path / "chore.py"))
    wait(lambda: shell.visible_window() and shell.window.findChildren(DeployDialog))
    assert shell.window.findChildren(DeployDialog)[0].heading.text() == "chore.py"


def test_a_menu_entry_opens_a_page_or_sends_a_command(
    make_shell: Callable[..., DesktopUi], empty: Session, wait: Wait
) -> None:
    deploy(empty, "Chore", 'ctx.done("Did it")')
    shell = make_shell(empty)
    shell.window.hide()
    shell.tray.chosen.emit(MenuChoice(page="attention"))
    assert shell.window.isVisible()
    assert shell.window.page is shell.window.pages["attention"]
    shell.tray.chosen.emit(MenuChoice(verb="run", arguments=(("target", "chore"),)))
    wait(lambda: [run.summary for run in empty.queries.workflow("chore").recent] == ["Did it"])


def test_a_pause_starts_when_it_is_chosen(
    make_shell: Callable[..., DesktopUi], empty: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The menu may have been built hours ago."""
    deploy(empty, "Chore", "pass")
    shell = make_shell(empty)
    now = empty.now()
    given: list[dict[str, object]] = []
    monkeypatch.setattr(shell, "_command", lambda verb, arguments, _: given.append({"verb": verb, **arguments}))
    shell.tray.chosen.emit(MenuChoice(verb="pause", arguments=(("everything", True),), pause_end=0))
    [pause] = given
    assert (pause["verb"], pause["everything"]) == ("pause", True)
    until = datetime.fromisoformat(str(pause["until"]))
    assert timedelta(minutes=29, seconds=59) <= until - now < timedelta(minutes=31)


def test_quit_ends_the_app_if_no_action_is_in_progress(
    qtbot: QtBot, make_shell: Callable[..., DesktopUi], empty: Session
) -> None:
    """Closing the last window is not quitting; this is."""
    shell = make_shell(empty)
    shell.quit_flow.finished.disconnect()
    with qtbot.waitSignal(shell.quit_flow.finished, timeout=60_000):
        shell.tray.chosen.emit(MenuChoice(quits=True))
    with qtbot.waitSignal(shell.quit_flow.finished, timeout=60_000):
        run_command(empty, "quit")


def test_the_whole_app_starts_and_ends(tmp_path: Path) -> None:
    """As its own process on an offscreen display; after a moment the system asks it to quit."""
    import os
    import subprocess
    import sys

    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":not-used"}
    command_line = [sys.executable, "-m", "app.main", "--data-dir", str(tmp_path / "data"), "--seconds", "1"]
    done = subprocess.run(command_line, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "data" / "window.ini").exists()


def test_a_cancelled_import_is_not_done_at_a_later_quit(
    make_shell: Callable[..., DesktopUi], installation: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An action is in progress, so Dayhand asks; the user cancels, and quits later."""
    ended: list[bool] = []
    monkeypatch.setattr(desktop_ui, "exit_event_loop", lambda: ended.append(True))
    shell = make_shell(installation)
    underway = ["Receipts"]
    shell.quit_flow._underway = lambda: tuple(underway)
    shell.import_and_restart("all.zip")
    wait(lambda: shell.quit_flow.question).reject()
    wait(lambda: not shell.quit_flow._is_quitting)
    assert shell.import_path is None and ended == []
    underway.clear()
    shell.quit()
    wait(lambda: ended)
    assert shell.import_path is None


def test_an_import_quits_and_passes_the_file_on(
    make_shell: Callable[..., DesktopUi], installation: Session, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []
    monkeypatch.setattr(desktop_ui, "exit_event_loop", lambda: ended.append(True))
    shell = make_shell(installation)
    shell.window.import_requested.emit("all.zip")
    wait(lambda: ended)
    assert shell.import_path == Path("all.zip")


def test_an_app_started_by_a_script_says_so_and_accepts_no_answers(
    qtbot: QtBot, tmp_path: Path, make_shell: Callable[..., DesktopUi], screen: FakeDaemon, wait: Wait
) -> None:
    made = Session(tmp_path, is_started_by_script=True)
    prepare_demo(made, tmp_path)
    with started(made):
        [request] = wait(made.queries.attention)
        shell = make_shell(made)
        latest = wait(lambda: shell.overview_watcher.latest)
        title = "Started by a script, so answers are disabled"
        wait(lambda: title in shell.window.status.text())
        assert title in make_tooltip(latest)
        assert next(entry.text for entry in make_entries(latest) if entry.text) == title
        wait(lambda: "Dayhand accepts no answers" in screen.titles())
        assert "Receipts" not in screen.titles(), "no button that would be refused"
        with pytest.raises(RefusedError, match="Dayhand was started by a script"):
            run_command(made, "approve", request=request.id)
        with pytest.raises(RefusedError, match="Dayhand was started by a script"):
            made.execute_for_user(lambda _: None)
        shell.import_and_restart(str(tmp_path / "export.zip"))
        assert shell.import_path is None
        assert made.queries.attention() == [request]
