"""The shell around a running installation: notices whose buttons are commands, a window that closes without quitting.

The notification daemon is a stand-in on a private bus; tests/desktop has the real one, and a tray."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.asking import command
from app.demo import prepare_demo
from app.keeping.preferences import Preferences
from app.life import shell as shell_module
from app.life.installation import Installation
from app.life.shell import Shell
from app.life.wanted import Wanted
from app.platform.bus import Bus
from app.platform.moods import Moods
from app.tray.icon import Tray, write_tooltip
from app.tray.menu import Choice, list_entries
from app.window.connect_dialog import ConnectDialog
from app.window.deploy_dialog import DeployDialog
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.store import connections
from tests.app.living import Wait, alive, deploy, empty, installation, request_, rows, wait
from tests.app.notices.recording import ABLE, StandInDaemon
from tests.desktop.buses import PrivateBus
from tests.desktop.fixtures import daemon

__all__ = ["daemon", "empty", "installation", "request_", "wait"]


@pytest.fixture
def screen(daemon: PrivateBus) -> Iterator[StandInDaemon]:
    """What the person's notification daemon was told to show."""
    made = StandInDaemon(daemon.address, *ABLE)
    yield made
    made.leave()


@pytest.fixture
def make_shell(qtbot: QtBot, daemon: PrivateBus, screen: StandInDaemon) -> Iterator[Callable[..., Shell]]:
    made: list[tuple[Shell, Bus]] = []

    def make(around: Installation, preferences: Preferences | None = None, *, background: bool = False) -> Shell:
        bus = Bus(daemon.address, pause=20)
        shell = Shell(around, Moods(), bus, Tray(bus), preferences or Preferences())
        made.append((shell, bus))
        shell.start(Wanted(background=background))
        return shell

    yield make
    for shell, bus in made:
        shell.close()
        bus.close()
    QApplication.processEvents()


def number_of(screen: StandInDaemon, title: str) -> int | None:
    return next((number for number, body in list(screen.shown.items()) if body[3] == title), None)


def test_a_question_is_a_notice_and_its_button_is_the_same_command(
    make_shell: Callable[..., Shell],
    installation: Installation,
    request_: RequestView,
    screen: StandInDaemon,
    wait: Wait,
) -> None:
    make_shell(installation)
    number = wait(lambda: number_of(screen, "Receipts"))
    assert "Add 3 receipts (45.55) to Expenses" in screen.shown[number][4]
    assert screen.shown[number][5] == ["approve", "Approve", "reject", "Reject"]
    screen.press(number, "approve")
    wait(lambda: len(rows(installation)) == 4)
    wait(lambda: installation.views.run(str(request_.run)).status == "committed")
    wait(lambda: "Receipts" not in screen.titles())


def test_reconnecting_from_a_notice_brings_the_form_and_then_the_work_goes_on(
    make_shell: Callable[..., Shell],
    installation: Installation,
    request_: RequestView,
    screen: StandInDaemon,
    wait: Wait,
) -> None:
    def find_lost() -> int | None:
        return next((number for number, shown in screen.shown.items() if "reconnect" in shown[5]), None)

    shell = make_shell(installation)
    with installation.database.write() as db:
        connections.set_trouble(db, "table:expenses", "The disk is not there. Plug it in and connect again.")
    command(installation, "approve", request=request_.id)
    screen.press(wait(find_lost), "reconnect")
    dialog = wait(lambda: shell.window.findChild(ConnectDialog))
    assert dialog.connection == "table:expenses"
    dialog.connect_button.click()
    wait(lambda: len(rows(installation)) == 4)
    wait(lambda: find_lost() is None)


def test_a_notice_goes_when_its_question_is_answered_elsewhere(
    make_shell: Callable[..., Shell],
    installation: Installation,
    request_: RequestView,
    screen: StandInDaemon,
    wait: Wait,
) -> None:
    """U3, U10"""
    make_shell(installation)
    wait(lambda: number_of(screen, "Receipts"))
    command(installation, "reject", request=request_.id)
    wait(lambda: "Receipts" not in screen.titles())


def test_a_button_pressed_too_late_is_answered_politely(
    make_shell: Callable[..., Shell],
    installation: Installation,
    request_: RequestView,
    screen: StandInDaemon,
    wait: Wait,
) -> None:
    """The shell still believes it to be open; the row decides."""
    shell = make_shell(installation)
    wait(lambda: shell.lookout.latest and shell.lookout.latest.requests)
    shell.window.hide()
    shell.lookout.changed.disconnect()
    believed = shell.lookout.latest
    command(installation, "reject", request=request_.id)
    shell.lookout.latest = believed
    shell.herald.pressed.emit(request_.id, "approve")
    number = wait(lambda: number_of(screen, "That was not done"))
    assert "already answered" in screen.shown[number][4]
    assert rows(installation) == []


def test_an_answer_that_its_notice_did_not_offer_only_opens_the_page(
    make_shell: Callable[..., Shell], installation: Installation, request_: RequestView, wait: Wait
) -> None:
    shell = make_shell(installation, background=True)
    wait(lambda: shell.lookout.latest and shell.lookout.latest.requests)
    shell.herald.pressed.emit(request_.id, "always")
    wait(shell.window.isVisible)
    assert [one.id for one in installation.views.attention()] == [request_.id]


def test_one_who_wants_no_notices_gets_none_and_may_change_their_mind(
    make_shell: Callable[..., Shell],
    installation: Installation,
    request_: RequestView,
    screen: StandInDaemon,
    wait: Wait,
) -> None:
    shell = make_shell(installation, Preferences(notices=False))
    wait(lambda: shell.lookout.latest and shell.lookout.latest.requests)
    assert screen.titles() == []
    shell.follow(Preferences(notices=True))
    wait(lambda: number_of(screen, "Receipts"))


def test_what_a_workflow_tells_is_shown(
    make_shell: Callable[..., Shell], empty: Installation, screen: StandInDaemon, wait: Wait
) -> None:
    make_shell(empty)
    empty.told.emit("Backup", "The disk is nearly full.")
    number = wait(lambda: number_of(screen, "Backup"))
    assert "The disk is nearly full." in screen.shown[number][4]


def test_without_a_tray_a_closed_window_is_minimised_and_that_is_said(
    make_shell: Callable[..., Shell], empty: Installation, screen: StandInDaemon, wait: Wait
) -> None:
    """U1. This platform has no tray at all."""
    shell = make_shell(empty)
    wait(lambda: shell.lookout.latest)
    shell.window.close()
    assert shell.window.isMinimized()
    number = wait(lambda: number_of(screen, "Dayhand is still running"))
    assert "no tray" in screen.shown[number][4]
    assert "minimised" in shell.window.status.text()
    shell.come_up()
    wait(lambda: number_of(screen, "Dayhand is still running") is None)
    assert shell.window.status.text() == "No workflows yet"


def test_started_in_the_background_without_a_tray_it_can_still_be_found(
    make_shell: Callable[..., Shell], empty: Installation, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell_module, "_NO_TRAY", 1)
    shell = make_shell(empty, background=True)
    assert not shell.window.isVisible()
    wait(shell.window.isMinimized)


def test_whoever_starts_hidden_has_no_window_until_it_is_wanted(
    make_shell: Callable[..., Shell],
    installation: Installation,
    request_: RequestView,
    screen: StandInDaemon,
    wait: Wait,
) -> None:
    """News, sentences and refusals need none; then it shows at once how everything stands."""
    shell = make_shell(installation, background=True)
    wait(lambda: number_of(screen, "Receipts"))
    shell.said.emit("Something happened.")
    shell._refuse("refused:run", RuntimeError("No."))
    wait(lambda: number_of(screen, "That was not done"))
    assert shell.window_if_shown() is None
    assert shell._window is None
    shell.tray.activated.emit()
    assert shell.window_if_shown() is shell.window
    assert shell.window.status.text().startswith("1 thing needs you")


def test_a_second_start_brings_the_window_to_the_front(
    make_shell: Callable[..., Shell], empty: Installation, wait: Wait
) -> None:
    shell = make_shell(empty)
    shell.window.showMinimized()
    command(empty, "window")
    wait(lambda: shell.window.isVisible() and not shell.window.isMinimized())


def test_a_second_start_with_a_script_lets_the_person_look_at_it(
    make_shell: Callable[..., Shell], empty: Installation, wait: Wait, tmp_path: Path
) -> None:
    shell = make_shell(empty, background=True)
    command(empty, "window", file=str(tmp_path / "chore.py"))
    wait(lambda: shell.window_if_shown() and shell.window.findChildren(DeployDialog))
    assert shell.window.findChildren(DeployDialog)[0].heading.text() == "chore.py"


def test_an_entry_of_the_menu_opens_a_page_or_gives_a_command(
    make_shell: Callable[..., Shell], empty: Installation, wait: Wait
) -> None:
    deploy(empty, "Chore", 'ctx.done("Did it")')
    shell = make_shell(empty)
    shell.window.hide()
    shell.tray.chosen.emit(Choice(page="attention"))
    assert shell.window.isVisible()
    assert shell.window.page is shell.window.pages["attention"]
    shell.tray.chosen.emit(Choice(verb="run", arguments=(("target", "chore"),)))
    wait(lambda: [run.summary for run in empty.views.workflow("chore").recent] == ["Did it"])


def test_a_pause_lasts_from_when_it_was_chosen(
    make_shell: Callable[..., Shell], empty: Installation, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The menu was made when there were news; that may be hours ago."""
    deploy(empty, "Chore", "pass")
    shell = make_shell(empty)
    now = empty.house.engine.context.clock.now()
    given: list[dict[str, object]] = []
    monkeypatch.setattr(shell, "_command", lambda verb, arguments, _: given.append({"verb": verb, **arguments}))
    shell.tray.chosen.emit(Choice(verb="pause", arguments=(("everything", True),), end=0))
    [pause] = given
    assert (pause["verb"], pause["everything"]) == ("pause", True)
    until = datetime.fromisoformat(str(pause["until"]))
    assert timedelta(minutes=29, seconds=59) <= until - now < timedelta(minutes=31)


def test_quit_ends_the_app_when_nothing_outside_is_being_done(
    qtbot: QtBot, make_shell: Callable[..., Shell], empty: Installation
) -> None:
    """Closing the last window is not quitting; this is."""
    shell = make_shell(empty)
    shell.leaving.left.disconnect()
    with qtbot.waitSignal(shell.leaving.left, timeout=60_000):
        shell.tray.chosen.emit(Choice(quits=True))
    with qtbot.waitSignal(shell.leaving.left, timeout=60_000):
        command(empty, "quit")


def test_the_whole_app_starts_and_ends(tmp_path: Path) -> None:
    """As a process of its own, on a screen that nobody sees; after a moment it is asked to quit, as a system does."""
    import os
    import subprocess
    import sys

    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "DISPLAY": ":not-used"}
    command_line = [sys.executable, "-m", "app.main", "--data-dir", str(tmp_path / "data"), "--seconds", "1"]
    done = subprocess.run(command_line, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "data" / "window.ini").exists()


def test_an_import_that_was_put_off_is_not_made_when_the_person_quits_later(
    make_shell: Callable[..., Shell], installation: Installation, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something is being done outside, so Dayhand asks; the person stays, and quits another time."""
    ended: list[bool] = []
    monkeypatch.setattr(shell_module, "end_app", lambda: ended.append(True))
    shell = make_shell(installation)
    underway = ["Receipts"]
    shell.leaving._underway = lambda: tuple(underway)
    shell.take_in("all.zip")
    wait(lambda: shell.leaving.question).reject()
    wait(lambda: not shell.leaving._is_leaving)
    assert shell.wanted_import is None and ended == []
    underway.clear()
    shell.leave()
    wait(lambda: ended)
    assert shell.wanted_import is None


def test_an_import_ends_this_life_and_names_the_file_for_the_next(
    make_shell: Callable[..., Shell], installation: Installation, wait: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[bool] = []
    monkeypatch.setattr(shell_module, "end_app", lambda: ended.append(True))
    shell = make_shell(installation)
    shell.window.import_wanted.emit("all.zip")
    wait(lambda: ended)
    assert shell.wanted_import == Path("all.zip")


def test_an_app_that_a_script_started_says_so_everywhere_and_takes_no_answer(
    qtbot: QtBot, tmp_path: Path, make_shell: Callable[..., Shell], screen: StandInDaemon, wait: Wait
) -> None:
    made = Installation(tmp_path, is_of_script=True)
    prepare_demo(made.house, tmp_path)
    with alive(made):
        [request] = wait(made.views.attention)
        shell = make_shell(made)
        latest = wait(lambda: shell.lookout.latest)
        said = "Started by a script, so it takes no answers"
        wait(lambda: said in shell.window.status.text())
        assert said in write_tooltip(latest)
        assert next(entry.words for entry in list_entries(latest) if entry.words) == said
        wait(lambda: "Dayhand takes no answers" in screen.titles())
        assert "Receipts" not in screen.titles(), "nothing with a button that would be refused"
        with pytest.raises(RefusedError, match="A script started Dayhand"):
            command(made, "approve", request=request.id)
        with pytest.raises(RefusedError, match="A script started Dayhand"):
            made.ask_for_user(lambda _: None)
        shell.take_in(str(tmp_path / "export.zip"))
        assert shell.wanted_import is None
        assert made.views.attention() == [request]
