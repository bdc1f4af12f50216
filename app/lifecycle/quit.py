"""Quitting: at once if nothing outside is being done, else after asking, and after waiting for it a while."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QMessageBox, QProgressBar, QProgressDialog, QWidget

from app.asking import Asking
from app.look.dressing import mark
from app.widgets.question import make_question

PATIENCE = 30.0
_LOOK = 200

Underway = Callable[[], tuple[str, ...]]
"""The workflows that must not be cut off; asked in another thread."""


class Leaving(QObject):
    """`leave` may be asked for several times; one question at a time."""

    left = Signal()
    """Now the app may end."""

    def __init__(self, underway: Underway, window: Callable[[], QWidget | None], *, patience: float = PATIENCE) -> None:
        super().__init__()
        self._underway = underway
        self._window = window
        self._asking = Asking(self)
        self._looks_left = self._looks = max(round(patience * 1000 / _LOOK), 1)
        self._again = QTimer(self, singleShot=True, interval=_LOOK)
        self._again.timeout.connect(self._look)
        self._is_leaving = False
        self._asks = True
        self.question: QMessageBox | None = None
        self.progress: QProgressDialog | None = None

    def leave(self, *, ask: bool = True) -> None:
        """One who asks for it again is shown the question that is open; where nobody is asked, it is taken away."""
        if self._is_leaving:
            self._asks = self._asks and ask
            if self.question is not None and ask:
                self.question.raise_()
                self.question.activateWindow()
            elif self.question is not None:
                self._hear(waits=True)
            return
        self._is_leaving = True
        self._asks = ask
        self._looks_left = self._looks
        self._look()

    def close(self) -> None:
        self._again.stop()
        for dialog in (self.question, self.progress):
            if dialog is not None:
                dialog.deleteLater()
        self.question = self.progress = None

    def _look(self) -> None:
        self._asking.ask(self._underway, self._decide, lambda _: self._end())

    def _decide(self, names: tuple[str, ...]) -> None:
        if not self._is_leaving:
            return
        if not names or self._looks_left <= 0:
            self._end()
        elif self._asks:
            self._ask(names)
        else:
            self._looks_left -= 1
            self._show_waiting()
            self._again.start()

    def _ask(self, names: tuple[str, ...]) -> None:
        doing = self.tr("{names} is doing something outside right now.")
        if len(names) > 1:
            doing = self.tr("{names} are doing something outside right now.")
        box = make_question(
            self.tr("Quit Dayhand"),
            doing.format(names=", ".join(names)),
            self.tr(
                "Dayhand can wait up to 30 seconds for it to finish. If you quit at once, "
                "it finds out at the next start whether it happened."
            ),
            self._window(),
        )
        wait = box.addButton(self.tr("Wait, then quit"), QMessageBox.ButtonRole.AcceptRole)
        at_once = box.addButton(self.tr("Quit at once"), QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(self.tr("Don't quit"), QMessageBox.ButtonRole.RejectRole)
        mark(wait, "importance", "primary")
        box.setDefaultButton(wait)
        box.finished.connect(
            lambda _: self._hear(waits=box.clickedButton() is wait, at_once=box.clickedButton() is at_once)
        )
        self.question = box
        box.open()

    def _hear(self, *, waits: bool, at_once: bool = False) -> None:
        if self.question is not None:
            self.question.finished.disconnect()
            self.question.hide()
            self.question.deleteLater()
            self.question = None
        if at_once:
            self._end()
        elif waits:
            self._asks = False
            self._look()
        else:
            self._is_leaving = False

    def _show_waiting(self) -> None:
        if self.progress is None:
            words = self.tr("Waiting for an outside action to finish…")
            self.progress = QProgressDialog(words, self.tr("Don't quit"), 0, 0, self._window())
            self.progress.setWindowTitle("Dayhand")
            for bar in self.progress.findChildren(QProgressBar):
                bar.setAccessibleName(words)
            self.progress.canceled.connect(self._stay)
            self.progress.show()

    def _stay(self) -> None:
        self._is_leaving = False
        self._again.stop()
        self._hide_waiting()

    def _hide_waiting(self) -> None:
        if self.progress is not None:
            self.progress.hide()
            self.progress.deleteLater()
            self.progress = None

    def _end(self) -> None:
        self._is_leaving = False
        self._hide_waiting()
        self.left.emit()
