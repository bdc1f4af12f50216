"""Settings: every choice holds at once, is kept, and says so where it cannot be."""

import sys
from datetime import time, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QTime
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox
from pytestqt.qtbot import QtBot

from app.asking import command
from app.keeping.preferences import FILE, Preferences, keep_preferences, read_preferences
from app.life.command import start_command
from app.life.installation import Installation
from app.look.theme import Appearance
from app.platform.autostart import Autostart, SystemAutostart
from app.platform.desktop_entry import DesktopEntry
from app.window.settings import SettingsPage
from scheduler.timing.policies import Catchup, Overlap
from tests.app.living import Wait
from tests.app.widgets.test_wheel import turn


@pytest.fixture
def entry(tmp_path_factory: pytest.TempPathFactory) -> Autostart:
    home = tmp_path_factory.mktemp("home")
    return SystemAutostart(DesktopEntry([sys.executable], {"HOME": str(home), "XDG_CONFIG_DIRS": str(home / "none")}))


@pytest.fixture
def page(qtbot: QtBot, empty: Installation, entry: Autostart, wait: Wait) -> SettingsPage:
    return show(qtbot, empty, entry, wait)


def show(qtbot: QtBot, installation: Installation, entry: Autostart, wait: Wait) -> SettingsPage:
    page = SettingsPage(installation, entry)
    qtbot.addWidget(page)
    page.resize(900, 800)
    page.show()
    page.refresh()
    wait(lambda: page._has_read)
    return page


def pick(page: SettingsPage, box: str, value: object) -> None:
    """As a person does."""
    field = getattr(page, box)
    field.setCurrentIndex(field.findData(value))
    field.activated.emit(field.currentIndex())


def test_a_choice_is_kept_told_and_followed_by_the_engine(page: SettingsPage, empty: Installation, wait: Wait) -> None:
    told: list[Preferences] = []
    page.preferred.connect(told.append)
    page.concurrency.setValue(9)
    pick(page, "overlap", Overlap.BUFFER_ALL)
    pick(page, "catchup", Catchup.NONE)
    pick(page, "kept", 30)
    pick(page, "appearance", Appearance.DARK)
    wait(lambda: read_preferences(empty.folder).appearance is Appearance.DARK)
    settings = empty.house.engine.context.settings
    assert (settings.concurrency, settings.catchup, settings.overlap["job"]) == (9, Catchup.NONE, Overlap.BUFFER_ALL)
    assert told[-1] == read_preferences(empty.folder)
    assert told[-1].keep_days == 30 and settings.kept == timedelta(days=30)


def test_what_was_chosen_before_is_shown(qtbot: QtBot, empty: Installation, entry: Autostart, wait: Wait) -> None:
    chosen = Preferences(
        concurrency=2, keep_days=45, is_quiet=True, quiet_from=time(21, 15), appearance=Appearance.LIGHT, notices=True
    )
    keep_preferences(empty.folder, chosen)
    page = show(qtbot, empty, entry, wait)
    assert page.chosen() == chosen
    assert page.kept.currentText() == "45 days"


def test_scrolling_past_a_choice_does_not_change_it(page: SettingsPage) -> None:
    choices = [*page.findChildren(QComboBox), *page.findChildren(QAbstractSpinBox)]
    assert len(choices) > 5
    assert not any(turn(one) for one in choices)


def test_quiet_hours_can_be_set_only_where_they_are_wanted(page: SettingsPage, empty: Installation, wait: Wait) -> None:
    assert not page.quiet_from.isEnabled()
    page.quiet.click()
    assert page.quiet_from.isEnabled() and page.approvals.isEnabled()
    page.quiet_from.setTime(QTime(23, 30))
    page.quiet_from.editingFinished.emit()
    wait(lambda: read_preferences(empty.folder).quiet_from == time(23, 30))
    page.notices.click()
    assert not page.quiet.isEnabled() and not page.quiet_from.isEnabled()
    wait(lambda: not read_preferences(empty.folder).notices)


def test_that_a_choice_cannot_be_kept_is_said_and_it_holds_all_the_same(
    page: SettingsPage, empty: Installation, wait: Wait
) -> None:
    (empty.folder / FILE).mkdir()
    (empty.folder / FILE / "in the way").touch()
    page.concurrency.setValue(7)
    wait(lambda: "could not be kept" in page.saying.sentence)
    assert empty.house.engine.context.settings.concurrency == 7


def test_starting_at_login_reads_back_what_the_session_will_find(
    page: SettingsPage, entry: Autostart, wait: Wait
) -> None:
    assert not page.login.isChecked()
    page.login.click()
    wait(lambda: entry.is_on() and page.login.isChecked())
    entry.turn_off()
    page.refresh()
    wait(lambda: not page.login.isChecked())


def test_that_it_cannot_start_at_login_is_said_and_shown(
    qtbot: QtBot, empty: Installation, tmp_path: Path, wait: Wait
) -> None:
    (tmp_path / "file").touch()
    home = {"HOME": str(tmp_path / "file"), "XDG_CONFIG_DIRS": str(tmp_path / "none")}
    entry = SystemAutostart(DesktopEntry([sys.executable], home))
    page = show(qtbot, empty, entry, wait)
    page.login.click()
    wait(lambda: "could not be turned on" in page.saying.sentence and not page.login.isChecked())


def test_the_session_starts_it_hidden_and_with_its_folder(tmp_path: Path) -> None:
    started = start_command(tmp_path)
    assert "--background" in started
    assert started[-2:] == ["--data-dir", str(tmp_path)]


def test_a_test_notice_takes_the_way_of_every_message(page: SettingsPage, empty: Installation, qtbot: QtBot) -> None:
    with qtbot.waitSignal(empty.told, timeout=30_000) as told:
        page.test.click()
    assert told.args == ["Dayhand", "This is how a notice looks. All is well."]


def test_a_backup_is_made_when_asked_for(page: SettingsPage, wait: Wait) -> None:
    page.data.back_up.click()
    wait(lambda: page.data.saying.sentence.startswith("Backed up to "))
    assert Path(page.data.saying.sentence.removeprefix("Backed up to ").removesuffix(".")).exists()


def test_another_choice_leaves_alone_who_repairs_although_that_was_chosen_elsewhere(
    page: SettingsPage, empty: Installation, wait: Wait
) -> None:
    command(empty, "fixer", settings={"kind": "command", "command": "llm"})
    page.concurrency.setValue(7)
    wait(lambda: read_preferences(empty.folder).concurrency == 7)
    assert read_preferences(empty.folder).fixer.command == "llm"
    assert empty.house.engine.context.settings.fixer.is_on
    page.refresh()
    wait(lambda: page.fixer.command.text() == "llm")
