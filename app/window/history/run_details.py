"""What lies behind Details in a run: attempts, steps with their times, the data. Here the inner words are allowed."""

from collections.abc import Iterable
from itertools import pairwise
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.look.theme import Space, Tone, Type, colours_of
from app.widgets.details import Pairs, Prose, Section, Table, read_details
from app.widgets.details_view import DetailsView
from app.widgets.signs import sign_run
from app.window.saying import make_heading
from app.window.states import state_of_run
from app.words.interpreting import interpret
from app.words.times import say_clock, say_span
from scheduler.engine.workflows.views.runs import PhaseView, RunDetails

translate = QCoreApplication.translate
_BAR, _ROW = 8, 22


def say_trigger(trigger: str) -> str:
    """How it came to run, for people."""
    match trigger:
        case "automatic":
            return translate("history", "planned")
        case "manual":
            return translate("history", "started by you")
        case "backfill":
            return translate("history", "a past time, made up for")
        case "deploy":
            return translate("history", "after it was deployed")
        case "event":
            return translate("history", "something arrived")
        case _:
            return trigger


def make_details(found: RunDetails, zone: ZoneInfo) -> QWidget:
    box = QWidget()
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(Space.SMALL)
    if len(found.phases) > 1:
        layout.addWidget(make_heading(translate("history", "Steps"), Type.STRONG))
        layout.addWidget(Steps(found, zone))
    layout.addWidget(DetailsView(tuple(_sections(found, zone))))
    return box


def _sections(found: RunDetails, zone: ZoneInfo) -> Iterable[Section]:
    pairs = [
        (translate("history", "Run"), found.id),
        (translate("history", "Handler"), f"{found.handler} ({found.kind.value})"),
        (translate("history", "Script"), translate("history", "version {number}").format(number=found.version)),
        (translate("history", "Status"), found.status.value),
        (translate("history", "Attempt"), str(found.attempt)),
    ]
    if found.planned is not None:
        pairs.append((translate("history", "Planned"), f"{found.planned.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"))
    if found.call is not None:
        pairs.append((translate("history", "Key of the action"), found.call.key))
    yield Section(title="", body=Pairs(pairs=tuple(pairs)))
    if len(found.chain) > 1:
        heads = ("#", translate("history", "Began"), translate("history", "Result"), translate("history", "What"))
        rows = tuple(
            (
                str(one.attempt),
                "" if one.began is None else say_clock(one.began, zone),
                sign_run(state_of_run(one.status, is_followed=one.is_followed)).word,
                interpret(one.error or "") or one.summary or "",
            )
            for one in found.chain
        )
        yield Section(title=translate("history", "Attempts"), body=Table(columns=heads, rows=rows))
    if found.events:
        yield from _titled(translate("history", "Taken from"), [_event(one) for one in found.events])
    if found.prepared is not None:
        yield from _titled(translate("history", "Prepared"), found.prepared)
    if found.result is not None:
        yield from _titled(translate("history", "Answer"), found.result)
    if found.failure and found.failure.get("traceback"):
        yield Section(title=translate("history", "Traceback"), body=Prose(text=str(found.failure["traceback"])))


def _event(one: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in one.items() if name in ("topic", "id", "title", "state")}


def _titled(title: str, value: object) -> Iterable[Section]:
    for section in read_details(value):
        shown = f"{title}: {section.title}" if section.title else title
        yield Section(title=shown, body=section.body)


class Steps(QWidget):
    """The steps of a run as bars one below the other, each as long as it took."""

    def __init__(self, found: RunDetails, zone: ZoneInfo) -> None:
        super().__init__()
        self._phases, self._zone = found.phases, zone
        self._lines = _lines(found.phases, zone)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(translate("history", "Steps"))
        self.setAccessibleDescription(". ".join(f"{name}, {said}" for name, said in self._lines))
        self.setToolTip("\n".join(f"{name}: {said}" for name, said in self._lines))

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(240, _ROW * len(self._lines))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        colours, painter = colours_of(self), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = painter.fontMetrics()
        names = max(metrics.horizontalAdvance(name) for name, _ in self._lines) + Space.MEDIUM
        says = max(metrics.horizontalAdvance(said) for _, said in self._lines) + Space.MEDIUM
        room = max(self.width() - names - says, 20)
        first, last = self._phases[0].at, self._phases[-1].at
        whole = max((last - first).total_seconds(), 0.001)
        for place, (name, said) in enumerate(self._lines):
            top = place * _ROW
            begin = (self._phases[place].at - first).total_seconds() / whole
            end = (self._phases[place + 1].at - first).total_seconds() / whole
            painter.setPen(QColor(colours.text))
            painter.drawText(QRectF(0, top, names, _ROW), Qt.AlignmentFlag.AlignVCenter, name)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.tones[Tone.BUSY].text))
            bar = QRectF(names + begin * room, top + (_ROW - _BAR) / 2, max((end - begin) * room, 2), _BAR)
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(QColor(colours.muted))
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(names + room, top, says, _ROW), side, said)
        painter.end()


def _lines(phases: tuple[PhaseView, ...], zone: ZoneInfo) -> list[tuple[str, str]]:
    return [
        (one.phase.value, f"{say_clock(one.at, zone)} · {say_span(after.at - one.at)}")
        for one, after in pairwise(phases)
    ]
