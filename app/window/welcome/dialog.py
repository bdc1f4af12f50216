"""The welcome dialog of the first start: what Dayhand is, where it runs, and a sample workflow to try."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.background import BackgroundTasks
from app.platform.autostart import Autostart, AutostartError, autostart_command, find_autostart
from app.session import Session
from app.theme.icons import draw_glyph, load_app_icon
from app.theme.tokens import Space, TextStyle, Tone, colours_of
from app.widgets.details_view import make_label
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, make_button, make_heading
from app.window.welcome.sample import start_sample

_WIDTH = 580
_GLYPH_SIZE = 28


class WelcomeDialog(Dialog):
    """Three screens; it can be closed at any of them."""

    started = Signal(str)
    """The slug of the sample, now running."""

    def __init__(self, session: Session, autostart: Autostart | None = None, parent: QWidget | None = None) -> None:
        super().__init__(_WIDTH, parent)
        self._session = session
        self._autostart = autostart or find_autostart(autostart_command(session.folder))
        self._background = BackgroundTasks(self)
        self.setWindowTitle(self.tr("Welcome to Dayhand"))
        self.stack = QStackedWidget()
        self.login = WrappingCheckBox(self.tr("&Start when I log in"))
        self.status_line = StatusLine()
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("Preparing the sample"))
        self.skip_button = make_button(self.tr("S&kip"))
        self.back_button = make_button(self.tr("&Back"))
        self.next_button = make_button("", importance="primary")
        self.step = QLabel()
        self._lay_out()
        self._connect()
        self._turn(0)

    def _lay_out(self) -> None:
        for screen in (self._make_intro(), self._make_tray_screen(), self._make_sample_screen()):
            self.stack.addWidget(screen)
        self.parts.addWidget(self.stack, 1)
        self.parts.addWidget(self.busy)
        self.parts.addWidget(self.status_line)
        self.add_buttons(self.skip_button, others=[self.back_button], last=self.next_button)
        self.button_row.insertWidget(2, self.step)
        self.button_row.insertSpacing(3, Space.MEDIUM)
        self.busy.hide()

    def _connect(self) -> None:
        self.skip_button.clicked.connect(self.reject)
        self.back_button.clicked.connect(lambda: self._turn(self.stack.currentIndex() - 1))
        self.next_button.clicked.connect(self._continue)
        self.login.clicked.connect(lambda on: self._set_autostart(on=on))
        autostart = self._autostart
        self._background.run(autostart.is_on, self.login.setChecked)

    def _make_intro(self) -> QWidget:
        picture = QLabel()
        picture.setPixmap(load_app_icon().pixmap(QSize(64, 64), self.devicePixelRatioF()))
        return self._make_screen(
            self.tr("Dayhand does your chores, and asks first"),
            [
                ("running", self.tr("It runs them on time, on this computer, even after sleep or a crash.")),
                (
                    "attention",
                    self.tr(
                        "Before it sends or changes anything, it shows you exactly what, and waits for your approval."
                    ),
                ),
                ("done", self.tr("Nothing is done twice, and you can always see what happened and why.")),
            ],
            picture,
        )

    def _make_tray_screen(self) -> QWidget:
        return self._make_screen(
            self.tr("It stays out of your way"),
            [
                ("idle", self.tr("Closing the window does not quit Dayhand; its icon stays in the tray.")),
                (
                    "info",
                    self.tr("When something needs your attention, you get a notification, and the tray icon changes."),
                ),
                ("workflow", self.tr("Each chore is a workflow; start from a template, no programming needed.")),
            ],
            below=self.login,
        )

    def _make_sample_screen(self) -> QWidget:
        folder = self._session.folder
        return self._make_screen(
            self.tr("See it in action"),
            [
                ("search", self.tr("A sample workflow reads a folder with three receipts.")),
                ("attention", self.tr("It asks before it adds them to a table. You approve or reject.")),
                ("connection", self.tr("It needs no network and no account, and you can remove it at any time.")),
            ],
            below=make_label(self.tr("Its files are stored in {folder}.").format(folder=folder / "sample"), "muted"),
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
        heading = make_heading(title, TextStyle.DISPLAY)
        heading.setWordWrap(True)
        layout.addWidget(heading)
        layout.addSpacing(Space.SMALL)
        for shape, words in lines:
            picture, text = QLabel(), make_label(words)
            picture.setPixmap(draw_glyph(shape, _GLYPH_SIZE, colours_of(self).accent, self.devicePixelRatioF()))
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
        self.back_button.setVisible(place > 0)
        self.next_button.setText(self.tr("Start the sample") if place == last else self.tr("Next"))
        self.step.setText(self.tr("{place} of {number}").format(place=place + 1, number=last + 1))
        self.status_line.clear()
        self.next_button.setFocus()

    def _continue(self) -> None:
        place = self.stack.currentIndex()
        if place < self.stack.count() - 1:
            self._turn(place + 1)
            return
        self._show_busy(busy=True)
        session = self._session
        self._background.run(lambda: start_sample(session), self._finish, self._refuse)

    def _finish(self, slug: str) -> None:
        self.started.emit(slug)
        self.accept()

    def _refuse(self, error: Exception) -> None:
        self._show_busy(busy=False)
        self.status_line.show_error(error)

    def _show_busy(self, *, busy: bool) -> None:
        self.busy.setVisible(busy)
        self.back_button.setEnabled(not busy)
        self.next_button.setEnabled(not busy)
        if busy:
            self.status_line.show_message(self.tr("Preparing the sample…"), Tone.QUIET)
            self.fit()

    def _set_autostart(self, *, on: bool) -> None:
        """Then show the actual state."""
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
                self.status_line.show_message(str(error), Tone.BAD)
            else:
                self.status_line.show_error(error)

        self._background.run(act, self.login.setChecked, refuse)
