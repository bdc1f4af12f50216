"""The first start: what Dayhand is, where it lives, and a sample workflow that runs and asks. Skipped with one key."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.asking import Asking
from app.life.command import start_command
from app.life.installation import Installation
from app.look.icons import app_icon, glyph
from app.look.theme import Space, Tone, Type, colours_of
from app.platform.autostart import Autostart, AutostartError, find_autostart
from app.widgets.details_view import make_text
from app.window.dialog import Dialog
from app.window.saying import Saying, make_button, make_heading
from app.window.welcome_sample import start_sample

_WIDTH = 580
_GLYPH = 28


class Welcome(Dialog):
    """Three screens; closing it at any of them is a way out."""

    started = Signal(str)
    """The sample runs; its slug."""

    def __init__(
        self, installation: Installation, autostart: Autostart | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(_WIDTH, parent)
        self._installation = installation
        self._autostart = autostart or find_autostart(start_command(installation.folder))
        self._asking = Asking(self)
        self.setWindowTitle(self.tr("Welcome to Dayhand"))
        self.stack = QStackedWidget()
        self.login = QCheckBox(self.tr("&Start when I log in"))
        self.saying = Saying()
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("The sample is being prepared"))
        self.skip = make_button(self.tr("S&kip"))
        self.back = make_button(self.tr("&Back"))
        self.forth = make_button("", importance="primary")
        self.step = QLabel()
        self._lay_out()
        self._connect()
        self._turn(0)

    def _lay_out(self) -> None:
        for screen in (self._say_what(), self._say_where(), self._say_sample()):
            self.stack.addWidget(screen)
        self.parts.addWidget(self.stack, 1)
        self.parts.addWidget(self.busy)
        self.parts.addWidget(self.saying)
        self.conclude(self.skip, others=[self.back], last=self.forth)
        self.foot.insertWidget(2, self.step)
        self.foot.insertSpacing(3, Space.MEDIUM)
        self.busy.hide()

    def _connect(self) -> None:
        self.skip.clicked.connect(self.reject)
        self.back.clicked.connect(lambda: self._turn(self.stack.currentIndex() - 1))
        self.forth.clicked.connect(self._go_on)
        self.login.clicked.connect(lambda on: self._switch_login(on=on))
        autostart = self._autostart
        self._asking.ask(autostart.is_on, self.login.setChecked)

    def _say_what(self) -> QWidget:
        picture = QLabel()
        picture.setPixmap(app_icon().pixmap(QSize(64, 64), self.devicePixelRatioF()))
        return self._make_screen(
            self.tr("Dayhand does your chores, and asks first"),
            [
                ("running", self.tr("It runs them on time, on this computer, also after sleep or a crash.")),
                ("attention", self.tr("Before anything is sent or changed, it shows you exactly what, and waits.")),
                ("done", self.tr("Nothing is done twice, and you can always see what happened and why.")),
            ],
            picture,
        )

    def _say_where(self) -> QWidget:
        return self._make_screen(
            self.tr("It stays out of your way"),
            [
                ("idle", self.tr("Closing the window does not end Dayhand: its icon stays in your tray.")),
                ("info", self.tr("When something needs you, a notice with buttons appears, and the icon shows it.")),
                ("workflow", self.tr("A chore is a Python file, a workflow. The Workflows page is where you add one.")),
            ],
            below=self.login,
        )

    def _say_sample(self) -> QWidget:
        folder = self._installation.folder
        return self._make_screen(
            self.tr("See it work"),
            [
                ("search", self.tr("A sample workflow looks into a folder with three receipts.")),
                ("attention", self.tr("It asks whether it may add them to a table. You say yes or no.")),
                ("connection", self.tr("It needs no network and no account, and can be removed again.")),
            ],
            below=make_text(self.tr("Its files go to {folder}.").format(folder=folder / "sample"), "muted"),
        )

    def _make_screen(
        self, title: str, lines: list[tuple[str, str]], above: QWidget | None = None, below: QWidget | None = None
    ) -> QWidget:
        screen = QWidget()
        layout = QVBoxLayout(screen)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.LARGE)
        if above is not None:
            layout.addWidget(above)
        heading = make_heading(title, Type.DISPLAY)
        heading.setWordWrap(True)
        layout.addWidget(heading)
        layout.addSpacing(Space.SMALL)
        for shape, words in lines:
            picture, text = QLabel(), make_text(words)
            picture.setPixmap(glyph(shape, _GLYPH, colours_of(self).accent, self.devicePixelRatioF()))
            row = QHBoxLayout()
            row.setSpacing(Space.LARGE)
            row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
            row.addWidget(text, 1)
            layout.addLayout(row)
        if below is not None:
            layout.addSpacing(Space.SMALL)
            layout.addWidget(below)
        layout.addStretch(1)
        return screen

    def _turn(self, place: int) -> None:
        last = self.stack.count() - 1
        self.stack.setCurrentIndex(place)
        self.back.setVisible(place > 0)
        self.forth.setText(self.tr("Start the sample") if place == last else self.tr("Next"))
        self.step.setText(self.tr("{place} of {number}").format(place=place + 1, number=last + 1))
        self.saying.clear()
        self.forth.setFocus()

    def _go_on(self) -> None:
        place = self.stack.currentIndex()
        if place < self.stack.count() - 1:
            self._turn(place + 1)
            return
        self._show_busy(busy=True)
        installation = self._installation
        self._asking.ask(lambda: start_sample(installation), self._end, self._refuse)

    def _end(self, slug: str) -> None:
        self.started.emit(slug)
        self.accept()

    def _refuse(self, error: Exception) -> None:
        self._show_busy(busy=False)
        self.saying.refuse(error)

    def _show_busy(self, *, busy: bool) -> None:
        self.busy.setVisible(busy)
        self.back.setEnabled(not busy)
        self.forth.setEnabled(not busy)
        if busy:
            self.saying.say(self.tr("Preparing the sample…"), Tone.QUIET)
            self.fit()

    def _switch_login(self, *, on: bool) -> None:
        """What is shown afterwards is what the session will find."""
        autostart = self._autostart

        def act() -> bool:
            if on:
                autostart.turn_on()
            else:
                autostart.turn_off()
            return autostart.is_on()

        def refuse(error: Exception) -> None:
            self.login.setChecked(not on)
            if isinstance(error, AutostartError):
                self.saying.say(str(error), Tone.BAD)
            else:
                self.saying.refuse(error)

        self._asking.ask(act, self.login.setChecked, refuse)
