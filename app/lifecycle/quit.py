"""Quitting: immediately if no outside action is in progress, else after asking and waiting for it a while."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QDialog, QMessageBox, QProgressBar, QWidget

from app.background import BackgroundTasks
from app.theme.stylesheet import set_style
from app.widgets.confirm_dialog import make_message_box

TIMEOUT_S = 30.0
_CHECK_MS = 200
_WAITING_WIDTH = 360

ListActive = Callable[[], tuple[str, ...]]
"""The names of workflows that must not be interrupted; called in another thread."""


class QuitFlow(QObject):
    """`start` may be called several times; only one question is open at a time."""

    finished = Signal()
    """The app may end now."""

    def __init__(
        self, list_active: ListActive, window: Callable[[], QWidget | None], *, timeout_s: float = TIMEOUT_S
    ) -> None:
        super().__init__()
        self._underway = list_active
        self._window = window
        self._asking = BackgroundTasks(self)
        self._checks_left = self._max_checks = max(round(timeout_s * 1000 / _CHECK_MS), 1)
        self._check_timer = QTimer(self, singleShot=True, interval=_CHECK_MS)
        self._check_timer.timeout.connect(self._check)
        self._is_quitting = False
        self._asks = True
        self.question: QMessageBox | None = None
        self.progress: QDialog | None = None

    def start(self, *, ask: bool = True) -> None:
        """A second call raises the open question; without `ask` it closes the question and waits."""
        if self._is_quitting:
            self._asks = self._asks and ask
            if self.question is not None and ask:
                self.question.raise_()
                self.question.activateWindow()
            elif self.question is not None:
                self._handle_answer(waits=True)
            return
        self._is_quitting = True
        self._asks = ask
        self._checks_left = self._max_checks
        self._check()

    def close(self) -> None:
        self._check_timer.stop()
        for dialog in (self.question, self.progress):
            if dialog is not None:
                dialog.deleteLater()
        self.question = self.progress = None

    def _check(self) -> None:
        self._asking.run(self._underway, self._decide, lambda _: self._end())

    def _decide(self, names: tuple[str, ...]) -> None:
        if not self._is_quitting:
            return
        if not names or self._checks_left <= 0:
            self._end()
        elif self._asks:
            self._ask(names)
        else:
            self._checks_left -= 1
            self._show_waiting()
            self._check_timer.start()

    def _ask(self, names: tuple[str, ...]) -> None:
        text = self.tr("{names} is in the middle of an action.")
        details = self.tr(
            "Dayhand can wait up to 30 seconds for it to finish. If you quit now, "
            "it checks at the next start whether the action happened."
        )
        if len(names) > 1:
            text = self.tr("{names} are in the middle of an action.")
            details = self.tr(
                "Dayhand can wait up to 30 seconds for them to finish. If you quit now, "
                "it checks at the next start whether the actions happened."
            )
        box = make_message_box(
            self.tr("Quit"),
            text.format(names=", ".join(names)),
            details,
            self._window(),
        )
        wait = box.addButton(self.tr("Wait, then quit"), QMessageBox.ButtonRole.AcceptRole)
        now = box.addButton(self.tr("Quit now"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(self.tr("Don't quit"), QMessageBox.ButtonRole.RejectRole)
        set_style(wait, "importance", "primary")
        box.setDefaultButton(wait)
        box.finished.connect(
            lambda _: self._handle_answer(waits=box.clickedButton() is wait, now=box.clickedButton() is now)
        )
        self.question = box
        box.open()

    def _handle_answer(self, *, waits: bool, now: bool = False) -> None:
        if self.question is not None:
            self.question.finished.disconnect()
            self.question.hide()
            self.question.deleteLater()
            self.question = None
        if now:
            self._end()
        elif waits:
            self._asks = False
            self._check()
        else:
            self._is_quitting = False

    def _show_waiting(self) -> None:
        if self.progress is None:
            self.progress = _make_progress(
                self.tr("Waiting for the action to finish…"), self.tr("Don't quit"), self._window()
            )
            self.progress.rejected.connect(self._cancel)
            self.progress.open()

    def _cancel(self) -> None:
        self._is_quitting = False
        self._check_timer.stop()
        self._hide_waiting()

    def _hide_waiting(self) -> None:
        if self.progress is not None:
            self.progress.hide()
            self.progress.deleteLater()
            self.progress = None

    def _end(self) -> None:
        self._is_quitting = False
        self._hide_waiting()
        self.finished.emit()


def _make_progress(text: str, cancel: str, parent: QWidget | None) -> QDialog:
    from app.widgets.details_view import make_label  # noqa: PLC0415  rarely needed
    from app.window.dialog import Dialog  # noqa: PLC0415
    from app.window.feedback import make_button  # noqa: PLC0415

    dialog = Dialog(_WAITING_WIDTH, parent)
    dialog.setWindowTitle("Dayhand")
    bar = QProgressBar()
    bar.setRange(0, 0)
    bar.setTextVisible(False)
    bar.setAccessibleName(text)
    button = make_button(cancel)
    button.clicked.connect(dialog.reject)
    dialog.parts.addWidget(make_label(text))
    dialog.parts.addWidget(bar)
    dialog.add_buttons(last=button)
    return dialog
