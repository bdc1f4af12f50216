"""The last outcomes of a workflow as a row of small bars, the latest on the right: tall is bad, hollow did not run."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.look.theme import Colours, colours_of
from app.widgets.signs import shape_run
from app.widgets.timeline_layout import URGENCY
from app.words.states import RunState, say_run

MOST = 30
_STEP, _BAR, _HEIGHT = 7, 5, 18
_EMPTY = 2
"""A low mark where nothing has happened yet."""
_TALL = {RunState.FAILED, RunState.WAITING}
_LOW = {RunState.SKIPPED, RunState.MISSED, RunState.REPLACED, RunState.DROPPED, RunState.CANCELLED}


def measure_strip() -> QSize:
    """The room for a full strip; a shorter history stands on the right of it."""
    return QSize(MOST * _STEP, _HEIGHT)


def describe_strip(states: Sequence[RunState]) -> str:
    """`Last 30: 1 failed, 29 done`."""
    latest = states[-MOST:]
    if not latest:
        return QCoreApplication.translate("strip", "Never ran")
    counts = Counter(latest)
    said = ", ".join(f"{counts[state]} {say_run(state).lower()}" for state in URGENCY if counts[state])
    return QCoreApplication.translate("strip", "Last {number}: {states}").format(number=len(latest), states=said)


def paint_strip(painter: QPainter, rect: QRectF, states: Sequence[RunState], colours: Colours) -> None:
    """Draw the latest at the right edge of the rectangle, on its lower edge."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    middle = rect.center().y() + _HEIGHT / 2
    for place in range(len(states[-MOST:]), MOST):
        left = rect.right() - (place + 1) * _STEP + (_STEP - _BAR)
        painter.fillRect(QRectF(left, middle - _EMPTY, _BAR, _EMPTY), QColor(colours.line))
    for place, state in enumerate(reversed(states[-MOST:])):
        left = rect.right() - (place + 1) * _STEP + (_STEP - _BAR)
        if left < rect.left():
            break
        ink = QColor(colours.tones[shape_run(state)[1]].text)
        height = _HEIGHT if state in _TALL else 5 if state in _LOW else 11
        bar = QRectF(left, middle - height, _BAR, height)
        if state in _LOW or state in (RunState.RUNNING, RunState.QUEUED, RunState.RETRYING):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ink, 1.2))
            painter.drawRoundedRect(bar.adjusted(0.6, 0.6, -0.6, -0.6), 1.5, 1.5)
        else:
            painter.setBrush(ink)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(bar, 1.5, 1.5)
    painter.restore()


class Strip(QWidget):
    def __init__(self, states: Sequence[RunState] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Last outcomes"))
        self.set_states(states)

    @property
    def states(self) -> tuple[RunState, ...]:
        return self._states

    def set_states(self, states: Sequence[RunState]) -> None:
        """Oldest first."""
        self._states = tuple(states[-MOST:])
        self.setToolTip(describe_strip(self._states))
        self.setAccessibleDescription(self.toolTip())
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return measure_strip()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        painter = QPainter(self)
        paint_strip(painter, QRectF(self.rect()), self._states, colours_of(self))
        painter.end()
