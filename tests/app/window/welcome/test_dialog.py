"""The first start: at most three screens, and at their end a workflow runs and asks for one approval."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.asking import command
from app.keeping.preferences import Preferences, keep_preferences, read_preferences
from app.life.installation import Installation
from app.life.lives import is_new
from app.life.shell import Shell
from app.platform.autostart import Autostart, SystemAutostart
from app.platform.bus import Bus
from app.platform.desktop_entry import DesktopEntry
from app.platform.moods import Moods
from app.tray.icon import Tray
from app.widgets.empty import EmptyPage
from app.window.today import TodayPage
from app.window.welcome import Welcome
from app.window.welcome_sample import FOLDER, start_sample
from scheduler.engine.refusal import RefusedError
from tests.app.living import Wait


@pytest.fixture
def entry(tmp_path_factory: pytest.TempPathFactory) -> Autostart:
    home = tmp_path_factory.mktemp("home")
    return SystemAutostart(DesktopEntry([sys.executable], {"HOME": str(home), "XDG_CONFIG_DIRS": str(home / "none")}))


@pytest.fixture
def welcome(qtbot: QtBot, empty: Installation, entry: Autostart) -> Welcome:
    made = Welcome(empty, entry)
    qtbot.addWidget(made)
    made.show()
    return made


@pytest.fixture
def make_shell(qtbot: QtBot) -> Iterator[Callable[[Installation], Shell]]:
    """Started as a fresh one is, without a bus of the person's."""
    made: list[tuple[Shell, Bus]] = []

    def make(around: Installation) -> Shell:
        bus = Bus("")
        preferences = read_preferences(around.folder)
        shell = Shell(around, Moods(), bus, Tray(bus), preferences)
        made.append((shell, bus))
        shell.start(greets=is_new(around, preferences))
        return shell

    yield make
    for shell, bus in made:
        shell.close()
        bus.close()
    QApplication.processEvents()


def test_three_screens_end_with_a_workflow_that_asks_for_one_approval(
    qtbot: QtBot, welcome: Welcome, empty: Installation, wait: Wait
) -> None:
    assert welcome.stack.count() <= 3
    with qtbot.waitSignal(welcome.started, timeout=60_000) as started:
        for _ in range(welcome.stack.count()):
            welcome.forth.click()
    assert started.args == ["receipts"]
    assert not welcome.isVisible()
    [one] = wait(empty.views.attention)
    assert one.sentence == "Add 3 receipts (45.55) to Expenses"
    assert not (empty.folder / FOLDER / "expenses.csv").exists()


def test_the_sample_speaks_the_language_of_the_window(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    """And does the same: what it asks for is done once, after the yes."""
    before = QLocale()
    QLocale.setDefault(QLocale("de_DE"))
    try:
        assert start_sample(empty) == "belege"
    finally:
        QLocale.setDefault(before)
    [one] = wait(empty.views.attention)
    assert one.sentence == "3 Belege (45,55 €) in die Ausgaben eintragen"
    command(empty, "approve", request=one.id)
    table = empty.folder / FOLDER / "ausgaben.csv"
    wait(table.exists)
    wait(lambda: "3 Belege eingetragen, bisher 3" in [run["summary"] for run in command(empty, "history")["runs"]])
    lines = table.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "datei,datum,laden,summe"
    assert len(lines) == 4


@pytest.mark.parametrize("points", [9, 14, 18])
def test_nothing_is_cut_off_where_text_is_large(
    qtbot: QtBot, empty: Installation, entry: Autostart, points: int
) -> None:
    usual = QApplication.font()
    QApplication.setFont(QFont("DejaVu Sans", points))
    try:
        welcome = Welcome(empty, entry)
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


def test_one_may_go_back_and_forth(welcome: Welcome) -> None:
    assert not welcome.back.isVisible()
    welcome.forth.click()
    welcome.forth.click()
    assert welcome.step.text() == "3 of 3"
    welcome.back.click()
    assert welcome.stack.currentIndex() == 1 and welcome.forth.text() == "Next"


def test_enter_goes_on_and_escape_skips(qtbot: QtBot, welcome: Welcome, empty: Installation) -> None:
    qtbot.keyClick(welcome, Qt.Key.Key_Return)
    assert welcome.stack.currentIndex() == 1
    qtbot.keyClick(welcome, Qt.Key.Key_Escape)
    assert not welcome.isVisible()
    assert empty.views.workflows() == []


def test_starting_at_login_can_be_chosen_there(welcome: Welcome, entry: Autostart, wait: Wait) -> None:
    welcome.forth.click()
    welcome.login.click()
    wait(entry.is_on)
    welcome.login.click()
    wait(lambda: not entry.is_on())


def test_that_it_cannot_start_at_login_is_said(qtbot: QtBot, empty: Installation, tmp_path: Path, wait: Wait) -> None:
    (tmp_path / "file").touch()
    home = {"HOME": str(tmp_path / "file"), "XDG_CONFIG_DIRS": str(tmp_path / "none")}
    entry = SystemAutostart(DesktopEntry([sys.executable], home))
    welcome = Welcome(empty, entry)
    qtbot.addWidget(welcome)
    welcome.show()
    welcome.forth.click()
    welcome.login.click()
    wait(lambda: "could not be turned on" in welcome.saying.sentence)
    assert not welcome.login.isChecked()


def test_a_sample_that_cannot_be_written_is_said_and_may_be_tried_again(
    welcome: Welcome, empty: Installation, wait: Wait
) -> None:
    (empty.folder / FOLDER).touch()
    for _ in range(3):
        welcome.forth.click()
    wait(lambda: "could not be written" in welcome.saying.sentence)
    assert welcome.isVisible() and welcome.forth.isEnabled()
    (empty.folder / FOLDER).unlink()
    welcome.forth.click()
    wait(lambda: not welcome.isVisible())
    assert [one.workflow for one in empty.views.workflows()] == ["receipts"]


def test_the_sample_leaves_a_table_of_the_persons_own_alone(empty: Installation) -> None:
    own = {"path": str(empty.folder / "mine.csv")}
    empty.host.ask(lambda _: empty.house.connect("table:expenses", own)).result(60)
    with pytest.raises(RefusedError, match="yours already"):
        start_sample(empty)
    assert empty.views.workflows() == []


def test_the_approval_appears_on_today_and_the_screens_never_come_again(
    make_shell: Callable[[Installation], Shell], empty: Installation, wait: Wait
) -> None:
    shell = make_shell(empty)
    welcome = wait(lambda: shell.welcome)
    for _ in range(3):
        welcome.forth.click()
    today = wait(lambda: shell.window.page)
    assert isinstance(today, TodayPage)
    [card] = wait(lambda: list(today.cards.cards.values()))
    assert card.value.sentence == "Add 3 rows to expenses"
    wait(lambda: read_preferences(empty.folder).welcomed)
    assert not is_new(empty, read_preferences(empty.folder))


def test_skipped_screens_never_come_again(
    make_shell: Callable[[Installation], Shell], empty: Installation, wait: Wait
) -> None:
    shell = make_shell(empty)
    wait(lambda: shell.welcome).skip.click()
    wait(lambda: read_preferences(empty.folder).welcomed)
    again = make_shell(empty)
    wait(again.window.isVisible)
    assert again.welcome is None


def test_skipping_keeps_what_was_chosen_before(
    make_shell: Callable[[Installation], Shell], empty: Installation, wait: Wait
) -> None:
    keep_preferences(empty.folder, Preferences(concurrency=7))
    wait(lambda: make_shell(empty).welcome).skip.click()
    wait(lambda: read_preferences(empty.folder).welcomed)
    assert read_preferences(empty.folder).concurrency == 7


def test_who_has_workflows_already_is_not_greeted(installation: Installation) -> None:
    assert not is_new(installation, Preferences())


def test_an_empty_today_offers_the_sample(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    page = TodayPage(empty)
    qtbot.addWidget(page)
    page.show()
    page.refresh()
    offer = page.findChild(EmptyPage)
    wait(lambda: page.day and offer.isVisible())
    offer.other.click()
    wait(lambda: page.refresh() or page.cards.cards)
    assert not offer.isVisible()
