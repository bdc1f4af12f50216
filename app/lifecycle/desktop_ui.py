"""Dayhand with a face: puts tray, notices and window around an installation, and takes them down again."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication

from app.answers import OPEN, RECONNECT, find_answer
from app.asking import Asking, close_asking, command
from app.keeping.preferences import Preferences, keep_preferences, read_preferences
from app.life.installation import Installation
from app.life.leaving import Leaving
from app.life.wanted import Wanted
from app.look.dressing import Look
from app.look.theme import Tone
from app.lookout import Lookout
from app.notices.choice import choose_notices
from app.notices.herald import Herald
from app.notices.notice import Notice, Notices, Urgency
from app.notices.policy import Rules
from app.notices.tray import TrayNotices
from app.overview import Overview
from app.platform.bus import Bus
from app.platform.moods import Moods
from app.requests import make_problem
from app.tray.icon import Tray
from app.tray.menu import Choice, list_ends
from app.words.interpreting import interpret
from scheduler.engine.launcher import Announcement
from scheduler.engine.user_only import STARTED_BY_SCRIPT, refuse_app_of_script
from scheduler.timing.zones import find_zone

if TYPE_CHECKING:
    from app.window.welcome import Welcome
    from app.window.window import Window

log = logging.getLogger(__name__)

_NO_TRAY = 6_000
"""Milliseconds after which one who started hidden, where no tray came, gets a window that can be found."""
_MINIMISED = "app:minimised"
_OF_SCRIPT = "app:of-script"


class Shell(QObject):
    """In the GUI thread. What a person does here becomes the same commands as everywhere else."""

    said = Signal(str)
    """From any thread: a sentence for the foot of the window, if somebody looks at it."""

    def __init__(
        self,
        installation: Installation,
        moods: Moods,
        bus: Bus,
        tray: Tray,
        preferences: Preferences,
        look: Look | None = None,
    ) -> None:
        """The bus is the person's, and not opened yet."""
        super().__init__()
        self._installation = installation
        self._look = look
        self._asking = Asking(self)
        self._told = 0
        self._window: Window | None = None
        self._greets = False
        self._without_tray = QTimer(self, singleShot=True)
        self._without_tray.timeout.connect(self._be_found)
        self.welcome: Welcome | None = None
        self.wanted_import: Path | None = None
        """The export to go on from, once this life has ended for its sake."""
        self._import: Path | None = None
        self.bubbles = TrayNotices()
        self.notices: Notices = choose_notices(bus, self.bubbles)
        context = installation.house.engine.context
        self.herald = Herald(self.notices, context.clock, lambda: find_zone(context.machine_zone), _rules(preferences))
        self._preferences = preferences
        self.tray = tray
        self.lookout = Lookout(installation, moods)
        self.leaving = Leaving(installation.views.underway, self.window_if_shown)
        self._connect(moods)
        bus.open()

    def start(self, wanted: Wanted = Wanted(), *, greets: bool = False) -> None:  # noqa: B008  it never changes
        """Whether it greets: the first time that the window is shown, whenever that is."""
        self._greets = greets
        if self._installation.is_of_script:
            why = interpret(STARTED_BY_SCRIPT)
            self.notices.send(Notice(key=_OF_SCRIPT, title=self.tr("Dayhand takes no answers"), text=why))
        self.lookout.look()
        if wanted.script or not wanted.background:
            self._come_up_with(wanted.script)
        elif not self.tray.is_there:
            self._without_tray.start(_NO_TRAY)

    @property
    def window(self) -> "Window":
        """Made when it is first wanted: who starts at login may not look at it for days."""
        if self._window is None:
            self._window = self._make_window()
        return self._window

    @Slot()
    def come_up(self) -> None:
        self.notices.withdraw(_MINIMISED)
        if self.lookout.latest is not None:
            self.window.show_overview(self.lookout.latest)  # its foot may still say that it was minimised
        self.window.come_up()

    @Slot(str)
    def _come_up_with(self, script: str) -> None:
        self.come_up()
        if script:
            self.window.take_file(Path(script))

    @Slot(str)
    def say(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        """At the foot of the window, if somebody looks at it."""
        if self._window is not None:
            self._window.say(sentence, tone)

    def _make_window(self) -> "Window":
        from app.window.window import Window  # noqa: PLC0415  as late as the window itself

        window = Window(self._installation)
        window.closing.connect(self._close_window)
        window.quit_wanted.connect(self.leave)
        window.preferred.connect(self.follow)
        window.import_wanted.connect(self.take_in)
        if self._greets:
            window.shown.connect(self._greet, Qt.ConnectionType.SingleShotConnection)
        if self.lookout.latest is not None:
            window.show_overview(self.lookout.latest)
        return window

    @Slot()
    def _greet(self) -> None:
        from app.window.welcome import Welcome  # noqa: PLC0415  once in a lifetime

        self.welcome = Welcome(self._installation, parent=self.window)
        self.welcome.started.connect(lambda _: self._open("today"))
        self.welcome.finished.connect(self._keep_greeted)
        self.welcome.open()

    @Slot()
    def _keep_greeted(self) -> None:
        """They never come again, whichever way they were left."""
        folder = self._installation.folder
        self._asking.ask(
            lambda: keep_preferences(folder, replace(read_preferences(folder), welcomed=True)),
            lambda _: None,
            lambda error: self.say(interpret(str(error)), Tone.BAD),
        )

    def close(self) -> None:
        """Take everything down; the installation can be ended afterwards."""
        self._without_tray.stop()
        self.lookout.close()
        self.notices.end()
        self.leaving.close()
        self.tray.close()
        if self._window is not None:
            self._window.let_go()
        self._installation.house.connecting.give_up()
        close_asking()

    def _connect(self, moods: Moods) -> None:
        installation = self._installation
        self.lookout.changed.connect(self._show)
        moods.changed.connect(self.lookout.stir)
        moods.resumed.connect(self.herald.look)
        moods.resumed.connect(self.lookout.stir)
        moods.zone_changed.connect(self.lookout.stir)
        installation.announced.connect(self._hear)
        installation.told.connect(self._tell)
        self.said.connect(self.say)
        installation.show_wanted.connect(self._come_up_with)
        installation.quit_wanted.connect(self._quit)
        self.herald.pressed.connect(self._press)
        self.herald.asked.connect(lambda _: self._open("attention"))
        self.tray.came.connect(self.bubbles.use)
        self.tray.activated.connect(self.come_up)
        self.tray.chosen.connect(self._choose)
        self.leaving.left.connect(self._end)
        if tray_icon := self.tray.icon:
            self.bubbles.use(tray_icon)

    @Slot(str)
    def take_in(self, path: str) -> None:
        """End as for good, then begin again with what is in that file."""
        if self._installation.is_of_script:
            self._refuse("refused:import", refuse_app_of_script())
            return
        self._import = Path(path)
        self.leaving.leave()

    @Slot()
    def leave(self) -> None:
        """For good: an import that was put off is not meant any more."""
        self._import = None
        self.leaving.leave()

    @Slot()
    def _end(self) -> None:
        self.wanted_import = self._import
        end_app()

    @Slot(object)
    def follow(self, preferences: Preferences) -> None:
        """The person changed their mind about how to be told, or how it should look."""
        self._preferences = preferences
        self.herald.follow(_rules(preferences))
        if self._look is not None and self._look.appearance is not preferences.appearance:
            self._look.choose(preferences.appearance)
        self.lookout.look()

    @Slot(object)
    def _show(self, overview: Overview) -> None:
        self.tray.show_overview(overview)
        if self._window is not None:
            self._window.show_overview(overview)
        wanted = overview.requests if self._preferences.notices and not overview.is_of_script else ()
        self.herald.tell(make_problem(one, overview) for one in wanted)

    @Slot(object)
    def _hear(self, announcement: Announcement) -> None:
        if announcement.sentence:
            if announcement.is_warning:
                log.warning("%s", announcement.sentence)
            self.say(interpret(announcement.sentence), Tone.BAD if announcement.is_warning else Tone.QUIET)

    @Slot(str, str)
    def _tell(self, title: str, text: str) -> None:
        """A workflow's own message is not a problem: it is shown, and nobody answers it."""
        self._told += 1
        self.notices.send(Notice(key=f"told:{self._told}", title=title or "Dayhand", text=text, urgency=Urgency.LOW))

    def _press(self, request: str, action: str) -> None:
        """A button of a notice. It is a hint: the command looks whether the request is still open."""
        latest = self.lookout.latest
        one = None if latest is None else next((one for one in latest.requests if one.id == request), None)
        is_offered = one is not None and latest is not None and action in dict(make_problem(one, latest).actions)
        answer = find_answer(one, action) if one is not None and is_offered else None
        if one is None or answer is None:
            self._open("attention", request)
        elif answer.id == RECONNECT:
            self._open("connections", one.subject)
        elif answer.id == OPEN:
            self._open("workflows", one.workflow)
        else:
            self._command(answer.verb, dict(answer.arguments), f"refused:{request}")

    def _choose(self, choice: Choice) -> None:
        if choice.quits:
            self.leave()
        elif choice.page:
            self._open(choice.page, choice.subject)
        else:
            arguments = dict(choice.arguments)
            if choice.end is not None:
                context = self._installation.house.engine.context
                _, end = list_ends(context.clock.now(), find_zone(context.machine_zone))[choice.end]
                arguments |= end
            self._command(choice.verb, arguments, f"refused:{choice.verb}")

    def _command(self, verb: str, arguments: dict[str, object], key: str) -> None:
        installation = self._installation
        self._asking.ask(
            lambda: command(installation, verb, **arguments),
            lambda _: self.lookout.stir(),
            lambda error: self._refuse(key, error),
        )

    def _refuse(self, key: str, error: Exception) -> None:
        """Said where the person is looking, and politely."""
        if self._window is not None and self._window.isActiveWindow():
            self._window.say(interpret(str(error)), Tone.ATTENTION)
        else:
            self.notices.send(Notice(key=key, title=self.tr("That was not done"), text=interpret(str(error))))
        self.lookout.stir()

    def _open(self, page: str, subject: str = "") -> None:
        self.window.open_page(page, subject)
        self.come_up()

    def _close_window(self) -> None:
        """Close is not quit. Without a tray the window must still be found."""
        if self.tray.is_there:
            self.window.hide()
            return
        sentence = self.tr("Dayhand goes on working. There is no tray here, so its window is minimised. Ctrl+Q quits.")
        self.window.status.setText(sentence)
        self.notices.send(
            Notice(key=_MINIMISED, title=self.tr("Dayhand is still running"), text=sentence, urgency=Urgency.LOW)
        )
        self.window.showMinimized()

    @Slot()
    def _quit(self) -> None:
        """Somebody else asked for it: there may be nobody to answer a question."""
        self._import = None
        self.leaving.leave(ask=False)

    def _be_found(self) -> None:
        if not self.tray.is_there and not self.window.isVisible():
            self.window.showMinimized()

    def window_if_shown(self) -> "Window | None":
        window = self._window
        return window if window is not None and window.isVisible() and not window.isMinimized() else None


def end_app() -> None:
    """Not `quit`: that asks the window first, which says no since closing it is not quitting."""
    QApplication.exit()


def _rules(preferences: Preferences) -> Rules:
    return Rules(quiet=preferences.quiet_hours)
