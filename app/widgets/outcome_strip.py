"""The latest outcomes of a workflow as small bars, newest on the right: tall means bad, hollow did not run."""

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.i18n.state_labels import RunState, run_state_label
from app.theme.tokens import Colours, colours_of
from app.widgets.status_signs import run_glyph_and_tone
from app.widgets.timeline_layout import STATES_BY_URGENCY

MAX_OUTCOMES = 30
_STEP, _BAR, _HEIGHT = 7, 5, 18
_EMPTY_HEIGHT = 2
"""Height of the mark where there is no run yet."""
_TALL = {RunState.FAILED, RunState.WAITING}
_LOW = {
    *(RunState.SKIPPED, RunState.MISSED, RunState.REPLACED, RunState.DROPPED),
    *(RunState.CANCELLED, RunState.REJECTED, RunState.EXPIRED),
}


def strip_size() -> QSize:
    """The size of a full strip; a shorter history is right-aligned in it."""
    return QSize(MAX_OUTCOMES * _STEP, _HEIGHT)


def describe_strip(states: Sequence[RunState]) -> str:
    """`Last 30: 1 failed, 29 done`."""
    latest = states[-MAX_OUTCOMES:]
    if not latest:
        return QCoreApplication.translate("strip", "No runs yet")
    counts = Counter(latest)
    summary = ", ".join(
        f"{counts[state]} {run_state_label(state).lower()}" for state in STATES_BY_URGENCY if counts[state]
    )
    return QCoreApplication.translate("strip", "Last {number}: {states}").format(number=len(latest), states=summary)


def paint_strip(painter: QPainter, rect: QRectF, states: Sequence[RunState], colours: Colours) -> None:
    """Draw the bars, bottom-aligned, with the newest at the right edge."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    bottom = rect.center().y() + _HEIGHT / 2
    for place in range(len(states[-MAX_OUTCOMES:]), MAX_OUTCOMES):
        left = rect.right() - (place + 1) * _STEP + (_STEP - _BAR)
        painter.fillRect(QRectF(left, bottom - _EMPTY_HEIGHT, _BAR, _EMPTY_HEIGHT), QColor(colours.line))
    for place, state in enumerate(reversed(states[-MAX_OUTCOMES:])):
        left = rect.right() - (place + 1) * _STEP + (_STEP - _BAR)
        if left < rect.left():
            break
        ink = QColor(colours.tones[run_glyph_and_tone(state)[1]].text)
        height = _HEIGHT if state in _TALL else 5 if state in _LOW else 11
        bar = QRectF(left, bottom - height, _BAR, height)
        if state in _LOW or state in (RunState.RUNNING, RunState.QUEUED, RunState.RETRYING):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(ink, 1.2))
            painter.drawRoundedRect(bar.adjusted(0.6, 0.6, -0.6, -0.6), 1.5, 1.5)
        else:
            painter.setBrush(ink)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawRoundedRect(bar, 1.5, 1.5)
    painter.restore()


class OutcomeStrip(QWidget):
    def __init__(self, states: Sequence[RunState] = (), parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Recent outcomes"))
        self.set_states(states)

    @property
    def states(self) -> tuple[RunState, ...]:
        return self._states

    def set_states(self, states: Sequence[RunState]) -> None:
        """Oldest first."""
        self._states = tuple(states[-MAX_OUTCOMES:])
        self.setToolTip(describe_strip(self._states))
        self.setAccessibleDescription(self.toolTip())
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return strip_size()

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        painter = QPainter(self)
        paint_strip(painter, QRectF(self.rect()), self._states, colours_of(self))
        painter.end()
