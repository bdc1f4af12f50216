"""The welcome dialog: at most three screens that end with a sample workflow asking for approval."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.data.preferences import Preferences, read_preferences, save_preferences
from app.lifecycle.desktop_ui import DesktopUi
from app.lifecycle.restart_loop import is_first_start
from app.platform.autostart import Autostart, SystemAutostart
from app.platform.dbus import Bus
from app.platform.linux_autostart import DesktopEntry
from app.platform.machine_conditions import MachineConditions
from app.session import Session
from app.tray.icon import TrayIcon
from app.widgets.empty_state import EmptyState
from app.window.today.page import TodayPage
from app.window.welcome.dialog import WelcomeDialog
from app.window.welcome.sample import FOLDER, start_sample
from scheduler.engine.errors import RefusedError
from tests.app.app_fixture import Wait


@pytest.fixture
def entry(tmp_path_factory: pytest.TempPathFactory) -> Autostart:
    home = tmp_path_factory.mktemp("home")
    return SystemAutostart(DesktopEntry([sys.executable], {"HOME": str(home), "XDG_CONFIG_DIRS": str(home / "none")}))


@pytest.fixture
def welcome(qtbot: QtBot, empty: Session, entry: Autostart) -> WelcomeDialog:
    made = WelcomeDialog(empty, entry)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def make_shell(qtbot: QtBot) -> Iterator[Callable[[Session], DesktopUi]]:
    """Started as on the first start, without the user's D-Bus."""
    made: list[tuple[DesktopUi, Bus]] = []

    def make(around: Session) -> DesktopUi:
        bus = Bus("")
        preferences = read_preferences(around.folder)
        shell = DesktopUi(around, MachineConditions(), bus, TrayIcon(bus), preferences)
        made.append((shell, bus))
        shell.start(shows_welcome=is_first_start(around, preferences))
        return shell

    yield make
    for shell, bus in made:
        shell.close()
        bus.close()
    QApplication.processEvents()


def test_three_screens_end_with_a_workflow_that_asks_for_one_approval(
    qtbot: QtBot, welcome: WelcomeDialog, empty: Session, wait: Wait
) -> None:
    assert welcome.stack.count() <= 3
    with qtbot.waitSignal(welcome.started, timeout=60_000) as started:
        for _ in range(welcome.stack.count()):
            welcome.next_button.click()
    assert started.args == ["receipts"]
    assert not welcome.isVisible()
    [one] = wait(empty.queries.attention)
    assert one.sentence == "Add 3 receipts (45.55) to Expenses"
    assert not (empty.folder / FOLDER / "expenses.csv").exists()


def test_the_sample_uses_the_language_of_the_window(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    """And does the same: what it asks for is done once approved."""
    before = QLocale()
    QLocale.setDefault(QLocale("de_DE"))
    try:
        assert start_sample(empty) == "belege"
    finally:
        QLocale.setDefault(before)
    [one] = wait(empty.queries.attention)
    assert one.sentence == "3 Belege (45,55 €) in die Ausgaben eintragen"
    run_command(empty, "approve", request=one.id)
    table = empty.folder / FOLDER / "ausgaben.csv"
    wait(table.exists)
    wait(lambda: "3 Belege eingetragen, bisher 3" in [run["summary"] for run in run_command(empty, "history")["runs"]])
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "datei,datum,laden,summe"
    assert len(lines) == 4


@pytest.mark.parametrize("points", [9, 14, 18])
def test_nothing_is_cut_off_with_large_text(qtbot: QtBot, empty: Session, entry: Autostart, points: int) -> None:
    usual = QApplication.font()
    QApplication.setFont(QFont("DejaVu Sans", points))
    try:
        welcome = WelcomeDialog(empty, entry)
        qtbot.addWidget(welcome)
        welcome.show()
        for place in range(welcome.stack.count()):
            welcome._turn(place)
            QApplication.processEvents()
            for label in welcome.stack.currentWidget().findChildren(QLabel):
                if label.text():
                    assert label.height() >= label.heightForWidth(label.width()), label.text()
    finally:
        QApplication.setFont(usual)


def test_the_user_can_go_back_and_forth(welcome: WelcomeDialog) -> None:
    assert not welcome.back_button.isVisible()
    welcome.next_button.click()
    welcome.next_button.click()
    assert welcome.step.text() == "3 of 3"
    welcome.back_button.click()
    assert welcome.stack.currentIndex() == 1 and welcome.next_button.text() == "Next"


def test_return_continues_and_escape_skips(qtbot: QtBot, welcome: WelcomeDialog, empty: Session) -> None:
    qtbot.keyClick(welcome, Qt.Key.Key_Return)
    assert welcome.stack.currentIndex() == 1
    qtbot.keyClick(welcome, Qt.Key.Key_Escape)
    assert not welcome.isVisible()
    assert empty.queries.workflows() == []


def test_autostart_can_be_chosen(welcome: WelcomeDialog, entry: Autostart, wait: Wait) -> None:
    welcome.next_button.click()
    welcome.login.click()
    wait(entry.is_on)
    welcome.login.click()
    wait(lambda: not entry.is_on())


def test_a_failed_autostart_is_reported(qtbot: QtBot, empty: Session, tmp_path: Path, wait: Wait) -> None:
    (tmp_path / "file").touch()
    home = {"HOME": str(tmp_path / "file"), "XDG_CONFIG_DIRS": str(tmp_path / "none")}
    entry = SystemAutostart(DesktopEntry([sys.executable], home))
    welcome = WelcomeDialog(empty, entry)
    qtbot.addWidget(welcome)
    welcome.show()
    welcome.next_button.click()
    welcome.login.click()
    wait(lambda: "could not be turned on" in welcome.status_line.message)
    assert not welcome.login.isChecked()


def test_a_sample_that_cannot_be_written_is_reported_and_can_be_retried(
    welcome: WelcomeDialog, empty: Session, wait: Wait
) -> None:
    (empty.folder / FOLDER).touch()
    for _ in range(3):
        welcome.next_button.click()
    wait(lambda: "could not be written" in welcome.status_line.message)
    assert welcome.isVisible() and welcome.next_button.isEnabled()
    (empty.folder / FOLDER).unlink()
    welcome.next_button.click()
    wait(lambda: not welcome.isVisible())
    assert [one.workflow for one in empty.queries.workflows()] == ["receipts"]


def test_the_sample_does_not_touch_an_existing_connection(empty: Session) -> None:
    own = {"path": str(empty.folder / "mine.csv")}
    empty.engine_thread.submit(lambda _: empty._runtime.connect("table:expenses", own)).result(60)
    with pytest.raises(RefusedError, match="you already use"):
        start_sample(empty)
    assert empty.queries.workflows() == []


def test_the_approval_appears_on_today_and_the_dialog_is_shown_only_once(
    make_shell: Callable[[Session], DesktopUi], empty: Session, wait: Wait
) -> None:
    shell = make_shell(empty)
    welcome = wait(lambda: shell.welcome)
    for _ in range(3):
        welcome.next_button.click()
    today = wait(lambda: shell.window.page)
    assert isinstance(today, TodayPage)
    [card] = wait(lambda: list(today.cards.cards.values()))
    assert card.content.sentence == "Add 3 rows to expenses"
    wait(lambda: read_preferences(empty.folder).welcomed)
    assert not is_first_start(empty, read_preferences(empty.folder))


def test_a_skipped_dialog_is_not_shown_again(
    make_shell: Callable[[Session], DesktopUi], empty: Session, wait: Wait
) -> None:
    shell = make_shell(empty)
    wait(lambda: shell.welcome).skip_button.click()
    wait(lambda: read_preferences(empty.folder).welcomed)
    again = make_shell(empty)
    wait(again.window.isVisible)
    assert again.welcome is None


def test_skipping_keeps_saved_preferences(
    make_shell: Callable[[Session], DesktopUi], empty: Session, wait: Wait
) -> None:
    save_preferences(empty.folder, Preferences(concurrency=7))
    wait(lambda: make_shell(empty).welcome).skip_button.click()
    wait(lambda: read_preferences(empty.folder).welcomed)
    assert read_preferences(empty.folder).concurrency == 7


def test_a_user_with_workflows_does_not_see_the_dialog(installation: Session) -> None:
    assert not is_first_start(installation, Preferences())


def test_an_empty_today_offers_the_sample(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    page = TodayPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    offer = page.findChild(EmptyState)
    wait(lambda: page.day and offer.isVisible())
    offer.secondary_button.click()
    wait(lambda: page.refresh() or page.cards.cards)
    assert not offer.isVisible()
