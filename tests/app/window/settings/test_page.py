"""Every change on the Settings page takes effect at once and is saved; failures are reported."""

import sys
from datetime import time, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QTime
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QWidget
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.data.preferences import FILE, Preferences, read_preferences, save_preferences
from app.data.saved_settings import SavedSettings
from app.platform.autostart import Autostart, SystemAutostart, autostart_command
from app.platform.linux_autostart import DesktopEntry
from app.session import Session
from app.theme.tokens import Appearance
from app.window.settings import metrics_section
from app.window.settings.page import SettingsPage
from scheduler.engine.runtime import Runtime
from scheduler.timing.jitter import parse_jitter
from scheduler.timing.policies import Catchup, Overlap
from tests.app.app_fixture import Wait
from tests.app.widgets.test_form_controls import turn_wheel


@pytest.fixture
def entry(tmp_path_factory: pytest.TempPathFactory) -> Autostart:
    home = tmp_path_factory.mktemp("home")
    return SystemAutostart(DesktopEntry([sys.executable], {"HOME": str(home), "XDG_CONFIG_DIRS": str(home / "none")}))


@pytest.fixture
def page(qtbot: QtBot, empty: Session, entry: Autostart, wait: Wait) -> SettingsPage:
    return show(qtbot, empty, entry, wait)


def show(qtbot: QtBot, installation: Session, entry: Autostart, wait: Wait) -> SettingsPage:
    page = SettingsPage(installation, entry)
    qtbot.addWidget(page)
    page.resize(900, 800)
    page.show()
    page.refresh()
    wait(lambda: page._has_read)
    return page


def pick(page: QWidget, box: str, value: object) -> None:
    """As the user does."""
    field = getattr(page, box)
    field.setCurrentIndex(field.findData(value))
    field.activated.emit(field.currentIndex())


def test_a_change_is_saved_announced_and_applied_by_the_engine(page: SettingsPage, empty: Session, wait: Wait) -> None:
    changed: list[Preferences] = []
    page.preferences_changed.connect(changed.append)
    page.concurrency.setValue(9)
    pick(page, "overlap", Overlap.BUFFER_ALL)
    pick(page, "catchup", Catchup.NONE)
    pick(page, "appearance", Appearance.DARK)
    pick(page, "history_age", 30)
    wait(lambda: empty._runtime.engine.context.settings.kept == timedelta(days=30))
    settings = empty._runtime.engine.context.settings
    assert (settings.concurrency, settings.catchup, settings.overlap["job"]) == (9, Catchup.NONE, Overlap.BUFFER_ALL)
    assert changed[-1] == read_preferences(empty.folder)
    assert changed[-1].keep_days == 30 and settings.kept == timedelta(days=30)


def test_the_defaults_for_schedules_are_saved_and_applied(page: SettingsPage, empty: Session, wait: Wait) -> None:
    section = page.schedule_defaults
    pick(section, "producers", Overlap.SKIP)
    pick(section, "jitter", "+30s")
    pick(section, "lookahead", "5m")
    section.catchup_per_tick.setValue(7)
    section.buffer_limit.setValue(8)
    wait(lambda: empty._runtime.engine.context.settings.buffer_limit == 8)
    assert read_preferences(empty.folder).buffer_limit == 8
    settings = empty._runtime.engine.context.settings
    assert settings.overlap["producer"] is Overlap.SKIP
    assert settings.jitter == parse_jitter("+30s")
    assert (settings.lookahead, settings.catchup_per_tick, settings.buffer_limit) == (timedelta(minutes=5), 7, 8)


def test_values_that_only_a_command_can_set_are_shown(
    qtbot: QtBot, empty: Session, entry: Autostart, wait: Wait
) -> None:
    chosen = Preferences(jitter="90s", lookahead="2h")
    save_preferences(empty.folder, chosen)
    section = show(qtbot, empty, entry, wait).schedule_defaults
    assert section.jitter.currentText() == "By up to 1 minute 30 seconds earlier or later"
    assert section.lookahead.currentText() == "2 hours"
    assert section.read()["jitter"] == "90s"


def test_a_change_here_keeps_what_a_command_changed_meanwhile(page: SettingsPage, empty: Session, wait: Wait) -> None:
    SavedSettings(empty.folder).save("buffer_limit", 55)
    page.concurrency.setValue(9)
    wait(lambda: empty._runtime.engine.context.settings.concurrency == 9)
    assert read_preferences(empty.folder).buffer_limit == 55
    assert empty._runtime.engine.context.settings.buffer_limit == 55


def test_saved_settings_are_shown(qtbot: QtBot, empty: Session, entry: Autostart, wait: Wait) -> None:
    chosen = Preferences(
        concurrency=2, keep_days=45, is_quiet=True, quiet_from=time(21, 15), appearance=Appearance.LIGHT, notices=True
    )
    save_preferences(empty.folder, chosen)
    page = show(qtbot, empty, entry, wait)
    assert page.read_controls() == chosen
    assert page.history_age.currentText() == "45 days"


def test_scrolling_over_a_control_does_not_change_it(page: SettingsPage) -> None:
    choices = [*page.findChildren(QComboBox), *page.findChildren(QAbstractSpinBox)]
    assert len(choices) > 5
    assert not any(turn_wheel(one) for one in choices)


def test_quiet_hours_can_be_set_only_while_enabled(page: SettingsPage, empty: Session, wait: Wait) -> None:
    assert not page.quiet_from.isEnabled()
    page.quiet.click()
    assert page.quiet_from.isEnabled() and page.approvals.isEnabled()
    page.quiet_from.setTime(QTime(23, 30))
    page.quiet_from.editingFinished.emit()
    wait(lambda: read_preferences(empty.folder).quiet_from == time(23, 30))
    page.notifications.click()
    assert not page.quiet.isEnabled() and not page.quiet_from.isEnabled()
    wait(lambda: not read_preferences(empty.folder).notices)


def test_a_change_that_cannot_be_saved_is_reported_and_still_takes_effect(
    page: SettingsPage, empty: Session, wait: Wait
) -> None:
    (empty.folder / FILE).mkdir()
    (empty.folder / FILE / "in the way").touch()
    page.concurrency.setValue(7)
    wait(lambda: "could not be saved" in page.status_line.message)
    assert empty._runtime.engine.context.settings.concurrency == 7


def test_the_autostart_box_shows_the_actual_state(page: SettingsPage, entry: Autostart, wait: Wait) -> None:
    assert not page.login.isChecked()
    page.login.click()
    wait(lambda: entry.is_on() and page.login.isChecked())
    entry.turn_off()
    page.refresh()
    wait(lambda: not page.login.isChecked())


def test_a_failed_autostart_is_reported_and_shown_as_off(
    qtbot: QtBot, empty: Session, tmp_path: Path, wait: Wait
) -> None:
    (tmp_path / "file").touch()
    home = {"HOME": str(tmp_path / "file"), "XDG_CONFIG_DIRS": str(tmp_path / "none")}
    entry = SystemAutostart(DesktopEntry([sys.executable], home))
    page = show(qtbot, empty, entry, wait)
    page.login.click()
    wait(lambda: "could not be turned on" in page.status_line.message and not page.login.isChecked())


def test_autostart_runs_in_the_background_with_the_data_folder(tmp_path: Path) -> None:
    started = autostart_command(tmp_path)
    assert "--background" in started
    assert started[-2:] == ["--data-dir", str(tmp_path)]


def test_a_test_notification_is_sent_like_any_other(page: SettingsPage, empty: Session, qtbot: QtBot) -> None:
    with qtbot.waitSignal(empty.message_sent, timeout=30_000) as sent:
        page.test_button.click()
    assert sent.args == ["Dayhand", "This is a test notification. Everything works."]


def test_the_backup_button_creates_a_backup(page: SettingsPage, wait: Wait) -> None:
    page.data.back_up_button.click()
    wait(lambda: page.data.status_line.message.startswith("Backed up to "))
    assert Path(page.data.status_line.message.removeprefix("Backed up to ").removesuffix(".")).exists()


def test_a_change_does_not_overwrite_fixer_settings_saved_elsewhere(
    page: SettingsPage, empty: Session, wait: Wait
) -> None:
    run_command(empty, "fixer", settings={"kind": "command", "command": "llm"})
    page.concurrency.setValue(7)
    wait(lambda: read_preferences(empty.folder).concurrency == 7)
    assert read_preferences(empty.folder).fixer.command == "llm"
    assert empty._runtime.engine.context.settings.fixer.is_on
    page.refresh()
    wait(lambda: page.fixer.command.text() == "llm")


def test_the_metrics_file_is_chosen_with_its_folder(
    page: SettingsPage, empty: Session, wait: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed: list[Preferences] = []
    page.preferences_changed.connect(changed.append)
    asked: list[str] = []

    def choose(_parent: object, title: str, _initial: str) -> str:
        asked.append(title)
        return "" if len(asked) == 1 else str(tmp_path)

    monkeypatch.setattr(metrics_section, "choose_folder", choose)
    page.metrics.box.click()
    assert asked and not page.metrics.box.isChecked() and not changed, "cancelled: it stays off"
    page.metrics.box.click()
    wait(lambda: read_preferences(empty.folder).metrics_folder == str(tmp_path))
    assert read_preferences(empty.folder).writes_metrics and page.metrics.folder.isEnabled()
    assert changed[-1] == read_preferences(empty.folder)
    page.metrics.box.click()
    wait(lambda: not read_preferences(empty.folder).writes_metrics)
    assert read_preferences(empty.folder).metrics_folder == str(tmp_path), "kept for the next time"
    assert not page.metrics.folder.isEnabled()


def test_a_folder_that_cannot_hold_the_metrics_file_is_pointed_out(
    page: SettingsPage, empty: Session, wait: Wait, tmp_path: Path
) -> None:
    save_preferences(empty.folder, Preferences(writes_metrics=True, metrics_folder=str(tmp_path / "gone")))
    page.refresh()
    wait(lambda: "could not be written: No such file or directory" in page.metrics.status_line.message)
    (tmp_path / "gone").mkdir()
    page.refresh()
    wait(lambda: page.metrics.box.isChecked() and not page.metrics.status_line.message)


SANDBOXES = {
    "complete": (
        True,
        True,
        6,
        "Scripts without jobs cannot reach your keyring, your screen or other programs. Files",
    ),
    "old Linux": (True, True, 5, "Scripts without jobs cannot reach your keyring, your screen or other programs, but"),
    "without Landlock": (True, True, -1, "Scripts without jobs cannot reach your keyring or your screen, but this"),
    "unknown processor": (True, False, 6, "Dayhand cannot isolate scripts on this kind of processor"),
    "no Linux": (False, True, 6, "Dayhand cannot isolate scripts on this system"),
}


@pytest.mark.parametrize("system", SANDBOXES)
def test_the_page_says_what_this_system_keeps_scripts_from(
    qtbot: QtBot, empty: Session, entry: Autostart, wait: Wait, monkeypatch: pytest.MonkeyPatch, system: str
) -> None:
    is_linux, knows_calls, version, sentence = SANDBOXES[system]
    monkeypatch.setattr("scheduler.workers.sandbox.HAS_SANDBOX", is_linux)
    monkeypatch.setattr("scheduler.workers.sandbox.find_calls", lambda: object() if knows_calls else None)
    monkeypatch.setattr("scheduler.workers.sandbox.landlock_version", lambda _: version)
    page = show(qtbot, empty, entry, wait)
    assert page.sandbox.isVisible()
    assert page.sandbox.text().startswith(sentence)


def test_the_sign_of_life_is_chosen_among_the_connected_pings(page: SettingsPage, empty: Session, wait: Wait) -> None:
    page.refresh()
    assert page.heartbeat.connection.count() == 1 and not page.heartbeat.interval.isEnabled()

    def connect(runtime: Runtime) -> None:
        runtime.grant_commands.save_connection("ping:dayhand", {"service": "healthchecks"})
        runtime.grant_commands.save_connection("feed:news", {"url": "https://example.org"})

    empty.execute(connect)
    page.refresh()
    wait(lambda: page.heartbeat.connection.findData("ping:dayhand") > 0)
    assert page.heartbeat.connection.count() == 2, "only pings"
    page.heartbeat.connection.setCurrentIndex(1)
    page.heartbeat.connection.activated.emit(1)
    page.heartbeat.interval.setCurrentIndex(page.heartbeat.interval.findData("15m"))
    page.heartbeat.interval.activated.emit(2)
    wait(lambda: read_preferences(empty.folder).ping_every == "15m")
    assert read_preferences(empty.folder).ping == "ping:dayhand"
    settings = empty._runtime.engine.context.settings
    assert (settings.ping, settings.ping_every.total_seconds()) == ("ping:dayhand", 900)


def test_an_interval_set_by_a_command_is_shown(page: SettingsPage, empty: Session, wait: Wait) -> None:
    run_command(empty, "change_setting", key="ping_every", value="7m")
    page.refresh()
    wait(lambda: page.heartbeat.interval.currentText() == "7 minutes")


def test_a_report_is_mailed_through_a_mail_connection(page: SettingsPage, empty: Session, wait: Wait) -> None:
    settings = {"host": "smtp.example.org", "from": "me@example.org"}
    empty.execute(lambda runtime: runtime.grant_commands.save_connection("smtp:home", settings))
    page.refresh()
    wait(lambda: page.reports.connection.findData("smtp:home") > 0)
    assert not page.reports.connection.isEnabled()
    page.reports.interval.setCurrentIndex(2)
    page.reports.interval.activated.emit(2)
    wait(lambda: read_preferences(empty.folder).report_connection == "smtp:home")
    chosen = empty._runtime.engine.context.settings
    assert (chosen.report, chosen.report_connection, chosen.report_to) == ("weekly", "smtp:home", "")
    page.reports.to.setText("anna@example.org")
    page.reports.to.editingFinished.emit()
    wait(lambda: empty._runtime.engine.context.settings.report_to == "anna@example.org")
