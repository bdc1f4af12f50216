"""The desktop interface of a session: tray, notifications and window, opened and closed together."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.background import BackgroundTasks, close_background_tasks, run_command
from app.data.preferences import Preferences, read_preferences, save_preferences
from app.i18n.translate import translate_text
from app.lifecycle.quit import QuitFlow
from app.lifecycle.startup import StartOptions
from app.notifications.backend import choose_backend
from app.notifications.notification import Notification, NotificationBackend, Urgency
from app.notifications.notifier import Notifier
from app.notifications.policy import NotificationRules
from app.notifications.popup import PopupBackend
from app.overview import Overview
from app.overview_watcher import OverviewWatcher
from app.platform.dbus import Bus
from app.platform.machine_conditions import MachineConditions
from app.requests.actions import OPEN, RECONNECT, SHOW_LOG, find_action
from app.requests.groups import group_requests
from app.requests.presentation import make_problem
from app.session import Session
from app.theme.stylesheet import Theme
from app.theme.tokens import Tone
from app.tray.icon import TrayIcon
from app.tray.menu import MenuChoice, list_pause_ends
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.user_only import STARTED_BY_SCRIPT, make_script_app_refusal
from scheduler.timing.zones import find_zone

if TYPE_CHECKING:
    from app.window.main_window import MainWindow
    from app.window.welcome.dialog import WelcomeDialog

log = logging.getLogger(__name__)

_TRAY_TIMEOUT_MS = 6_000
"""If started hidden and no tray appears in this time, a minimised window is shown."""
_MINIMISED_KEY, _MISSED_KEY = "app:minimised", "app:missed"
_STARTED_BY_SCRIPT_KEY = "app:of-script"


class DesktopUi(QObject):
    """Lives in the GUI thread. What the user does here becomes the same commands as in the command line."""

    status_message = Signal(str)
    """From any thread: a message for the status bar of the window, if it exists."""
    preferences_applied = Signal(object)

    def __init__(
        self,
        session: Session,
        conditions: MachineConditions,
        bus: Bus,
        tray: TrayIcon,
        preferences: Preferences,
        look: Theme | None = None,
    ) -> None:
        """`bus` is the session bus, not opened yet."""
        super().__init__()
        self._session = session
        self._look = look
        self._asking = BackgroundTasks(self)
        self._message_count = 0
        self._window: MainWindow | None = None
        self._shows_welcome = False
        self._tray_timeout = QTimer(self, singleShot=True)
        self._tray_timeout.timeout.connect(self._show_minimised)
        self.welcome: WelcomeDialog | None = None
        self.import_path: Path | None = None
        """The export to import once the app has closed."""
        self._pending_import: Path | None = None
        self.notification_backend: NotificationBackend = choose_backend(
            bus, PopupBackend(tray.find_screen), session.folder
        )
        self.notifier = Notifier(
            self.notification_backend, session.clock, lambda: find_zone(session.zone), _rules(preferences)
        )
        self._preferences = preferences
        self.tray = tray
        self.overview_watcher = OverviewWatcher(session, conditions)
        self.quit_flow = QuitFlow(session.queries.uninterruptible, self.visible_window)
        self._connect(conditions)
        bus.open()

    def start(self, options: StartOptions = StartOptions(), *, shows_welcome: bool = False) -> None:  # noqa: B008  it never changes
        """`shows_welcome`: show the welcome dialog when the window is first shown."""
        self._shows_welcome = shows_welcome
        if self._session.is_started_by_script:
            why = translate_text(STARTED_BY_SCRIPT)
            self.notification_backend.send(
                Notification(key=_STARTED_BY_SCRIPT_KEY, title=self.tr("Dayhand accepts no answers"), text=why)
            )
        self.overview_watcher.refresh()
        if options.script or not options.background:
            self._show_script(options.script)
        elif not self.tray.is_available:
            self._tray_timeout.start(_TRAY_TIMEOUT_MS)

    @property
    def window(self) -> "MainWindow":
        """Created on first use: after a start at login it may not be needed for days."""
        if self._window is None:
            self._window = self._make_window()
        return self._window

    @Slot()
    def show_window(self) -> None:
        self.notification_backend.withdraw(_MINIMISED_KEY)
        if self.overview_watcher.latest is not None:
            self.window.show_overview(
                self.overview_watcher.latest
            )  # its status bar may still say that it was minimised
        self.window.bring_to_front()

    @Slot(str)
    def _show_script(self, script: str) -> None:
        self.show_window()
        if script:
            self.window.offer_script(Path(script))

    @Slot(str)
    def show_status(self, message: str, tone: Tone = Tone.QUIET) -> None:
        """Show it in the status bar of the window, if it can be seen."""
        if (window := self.visible_window()) is not None:
            window.show_message(message, tone)

    def _make_window(self) -> "MainWindow":
        from app.window.main_window import MainWindow  # noqa: PLC0415  slow to import

        window = MainWindow(self._session)
        window.close_requested.connect(self._close_window)
        window.quit_requested.connect(self.quit)
        window.preferences_changed.connect(self.apply_preferences)
        window.import_requested.connect(self.import_and_restart)
        window.message_missed.connect(self._notify_failure)
        if self._shows_welcome:
            window.shown.connect(self._open_welcome, Qt.ConnectionType.SingleShotConnection)
        if self.overview_watcher.latest is not None:
            window.show_overview(self.overview_watcher.latest)
        return window

    @Slot()
    def _open_welcome(self) -> None:
        from app.window.welcome.dialog import WelcomeDialog  # noqa: PLC0415  needed once

        self.welcome = WelcomeDialog(self._session, parent=self.window)
        self.welcome.started.connect(lambda _: self._open("today"))
        self.welcome.finished.connect(self._save_welcomed)
        self.welcome.open()

    @Slot()
    def _save_welcomed(self) -> None:
        """The dialog never opens again, however it was closed."""
        folder = self._session.folder
        self._asking.run(
            lambda: save_preferences(folder, replace(read_preferences(folder), welcomed=True)),
            lambda _: None,
            lambda error: self.show_status(translate_text(str(error)), Tone.BAD),
        )

    def close(self) -> None:
        """Close everything; the session can be ended afterwards."""
        self._tray_timeout.stop()
        self.overview_watcher.close()
        if self._window is not None:
            self._window.shut_down()  # while there are still notifications to tell that an answer was refused
        self.notification_backend.end()
        self.quit_flow.close()
        self.tray.close()
        self._session.connection_setup.cancel_sign_in()
        close_background_tasks()

    def _connect(self, conditions: MachineConditions) -> None:
        session = self._session
        self.overview_watcher.changed.connect(self._show_overview)
        conditions.changed.connect(self.overview_watcher.schedule_refresh)
        conditions.look_changed.connect(self.overview_watcher.schedule_refresh)
        conditions.resumed.connect(self.notifier.refresh)
        conditions.resumed.connect(self.overview_watcher.schedule_refresh)
        conditions.resumed.connect(lambda: None if self._window is None else self._window.presence.note_sleep())
        conditions.zone_changed.connect(self.overview_watcher.schedule_refresh)
        session.announced.connect(self._show_announcement)
        session.message_sent.connect(self._notify)
        self.status_message.connect(self.show_status)
        session.show_requested.connect(self._show_script)
        session.quit_requested.connect(self._quit)
        self.notifier.pressed.connect(self._handle_press)
        self.notifier.show_requested.connect(self._show_problems)
        self.tray.activated.connect(self.show_window)
        self.tray.chosen.connect(self._handle_choice)
        self.quit_flow.finished.connect(self._end)

    @Slot(str)
    def import_and_restart(self, path: str) -> None:
        """Quit, then start again with the data in that file."""
        if self._session.is_started_by_script:
            self._show_refusal("refused:import", make_script_app_refusal())
            return
        self._pending_import = Path(path)
        self.quit_flow.start()

    @Slot()
    def quit(self) -> None:
        """Quit, and forget a pending import."""
        self._pending_import = None
        self.quit_flow.start()

    @Slot()
    def _end(self) -> None:
        self.import_path = self._pending_import
        exit_event_loop()

    @Slot(object)
    def apply_preferences(self, preferences: Preferences) -> None:
        """Apply changed preferences: notifications and appearance."""
        self._preferences = preferences
        self.notifier.set_rules(_rules(preferences))
        if self._look is not None and self._look.appearance is not preferences.appearance:
            self._look.set_appearance(preferences.appearance)
        self.preferences_applied.emit(preferences)
        self.overview_watcher.refresh()

    @Slot(object)
    def _show_overview(self, overview: Overview) -> None:
        self.tray.show_overview(overview)
        if self._window is not None:
            self._window.show_overview(overview)
        requests = overview.requests if self._preferences.notices and not overview.is_started_by_script else ()
        self.notifier.update(make_problem(one, overview) for one in requests)

    @Slot(object)
    def _show_announcement(self, announcement: Announcement) -> None:
        if announcement.sentence:
            if announcement.is_warning:
                log.warning("%s", announcement.sentence)
            self.show_status(translate_text(announcement.sentence), Tone.BAD if announcement.is_warning else Tone.QUIET)

    @Slot(str, str)
    def _notify(self, title: str, text: str) -> None:
        """A workflow's own message is not a problem: it is only shown."""
        self._message_count += 1
        self.notification_backend.send(
            Notification(key=f"told:{self._message_count}", title=title or "Dayhand", text=text, urgency=Urgency.LOW)
        )

    def _handle_press(self, request: str, action: str) -> None:
        """A button of a notification. Only a hint: the command checks that the request is still open."""
        latest = self.overview_watcher.latest
        one = None if latest is None else next((one for one in latest.requests if one.id == request), None)
        is_offered = one is not None and latest is not None and action in dict(make_problem(one, latest).actions)
        answer = find_action(one, action) if one is not None and is_offered else None
        if one is None or answer is None:
            self._open("attention", request)
        elif answer.id == RECONNECT:
            self._open("connections", one.subject)
        elif answer.id == OPEN:
            self._open("workflows", one.workflow)
        elif answer.id == SHOW_LOG:
            self._open("history", f"{one.run}#log" if one.run else "")
        else:
            self._command(answer.verb, dict(answer.arguments), f"refused:{request}")

    @Slot(object)
    def _show_problems(self, requests: frozenset[str]) -> None:
        """Go to the first of them on the page; the others like it are in the same group."""
        latest = self.overview_watcher.latest
        groups = group_requests(() if latest is None else latest.requests)
        shown = (one.id for group in groups for one in group.requests)
        self._open("attention", next((one for one in shown if one in requests), ""))

    def _handle_choice(self, choice: MenuChoice) -> None:
        if choice.quits:
            self.quit()
        elif choice.page:
            self._open(choice.page, choice.subject)
        else:
            arguments = dict(choice.arguments)
            if choice.pause_end is not None:
                now, zone = self._session.now(), find_zone(self._session.zone)
                _, end = list_pause_ends(now, zone)[choice.pause_end]
                arguments |= end
            self._command(choice.verb, arguments, f"refused:{choice.verb}")

    def _command(self, verb: str, arguments: dict[str, object], key: str) -> None:
        session = self._session
        self._asking.run(
            lambda: run_command(session, verb, **arguments),
            lambda _: self.overview_watcher.schedule_refresh(),
            lambda error: self._show_refusal(key, error),
        )

    def _show_refusal(self, key: str, error: Exception) -> None:
        """Shown in the window if it is active, else as a notification."""
        if self._window is not None and self._window.isActiveWindow():
            self._window.show_message(translate_text(str(error)), Tone.ATTENTION)
        else:
            self._notify_failure(translate_text(str(error)), key)
        self.overview_watcher.schedule_refresh()

    @Slot(str)
    def _notify_failure(self, sentence: str, key: str = _MISSED_KEY) -> None:
        self.notification_backend.send(Notification(key=key, title=self.tr("That did not work"), text=sentence))

    def _open(self, page: str, subject: str = "") -> None:
        self.window.open_page(page, subject)
        self.show_window()

    def _close_window(self) -> None:
        """Closing is not quitting. Without a tray the window must stay reachable."""
        if self.tray.is_available:
            self.window.hide()
            return
        sentence = self.tr("Dayhand keeps running. There is no tray here, so its window is minimised. Ctrl+Q quits.")
        self.window.status.setText(sentence)
        self.notification_backend.send(
            Notification(
                key=_MINIMISED_KEY, title=self.tr("Dayhand is still running"), text=sentence, urgency=Urgency.LOW
            )
        )
        self.window.showMinimized()

    @Slot()
    def _quit(self) -> None:
        """Requested by another program: there may be no user to answer a question."""
        self._pending_import = None
        self.quit_flow.start(ask=False)

    def _show_minimised(self) -> None:
        if not self.tray.is_available and not self.window.isVisible():
            self.window.showMinimized()

    def visible_window(self) -> "MainWindow | None":
        window = self._window
        return window if window is not None and window.isVisible() and not window.isMinimized() else None


def exit_event_loop() -> None:
    """Not `quit`: that asks the window first, which refuses since closing it is not quitting."""
    QApplication.exit()


def _rules(preferences: Preferences) -> NotificationRules:
    return NotificationRules(quiet=preferences.quiet_hours)
