"""The Details of a run: attempts, steps with times, data. Technical terms are fine here."""

from collections.abc import Iterable
from itertools import pairwise
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.i18n.time_text import format_clock_time, format_duration
from app.theme.tokens import Space, TextStyle, Tone, colours_of
from app.widgets.details import DetailSection, DetailTable, Pairs, TextBlock, make_sections
from app.widgets.details_view import DetailsView
from app.widgets.status_signs import run_sign
from app.window.feedback import make_heading
from app.window.history.history_data import describe_outcome, state_of_run
from scheduler.engine.queries.runs import PhaseView, RunDetails

translate = QCoreApplication.translate
_BAR_HEIGHT, _ROW_HEIGHT = 8, 22


def describe_trigger(trigger: str) -> str:
    """What started the run."""
    match trigger:
        case "automatic":
            return translate("history", "on schedule")
        case "manual":
            return translate("history", "started by you")
        case "backfill":
            return translate("history", "catch-up run")
        case "deploy":
            return translate("history", "after it was added or updated")
        case "event":
            return translate("history", "new data arrived")
        case _:
            return trigger


def make_details(found: RunDetails, zone: ZoneInfo) -> QWidget:
    box = QWidget()
    layout = QVBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(Space.SMALL)
    if len(found.phases) > 1:
        layout.addWidget(make_heading(translate("history", "Steps"), TextStyle.STRONG))
        layout.addWidget(StepBars(found, zone))
    layout.addWidget(DetailsView(tuple(_list_sections(found, zone))))
    return box


def _list_sections(found: RunDetails, zone: ZoneInfo) -> Iterable[DetailSection]:
    pairs = [
        (translate("history", "Run"), found.id),
        (translate("history", "Handler"), f"{found.handler} ({found.kind.value})"),
        (translate("history", "Script"), translate("history", "version {number}").format(number=found.version)),
        (translate("history", "Status"), run_sign(state_of_run(found)).word),
        (translate("history", "Attempt"), str(found.attempt)),
    ]
    if found.command:
        pairs.insert(2, (translate("history", "Command"), found.command))
    if found.planned is not None:
        pairs.append((translate("history", "Planned"), f"{found.planned.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"))
    if found.call is not None:
        pairs.append((translate("history", "Idempotency key"), found.call.key))
    yield DetailSection(title="", body=Pairs(pairs=tuple(pairs)))
    if len(found.chain) > 1:
        heads = (
            "#",
            translate("history", "Started"),
            translate("history", "Result"),
            translate("history", "What happened"),
        )
        rows = tuple(
            (
                str(one.attempt),
                "" if one.began is None else format_clock_time(one.began, zone),
                run_sign(state_of_run(one)).word,
                describe_outcome(one),
            )
            for one in found.chain
        )
        yield DetailSection(title=translate("history", "Attempts"), body=DetailTable(columns=heads, rows=rows))
    if found.events:
        yield from _add_title(translate("history", "Events"), [_pick_event_fields(one) for one in found.events])
    if found.prepared is not None:
        yield from _add_title(translate("history", "Prepared"), found.prepared)
    if found.result is not None:
        yield from _add_title(translate("history", "Result"), found.result)
    if found.failure and found.failure.get("traceback"):
        yield DetailSection(
            title=translate("history", "Traceback"), body=TextBlock(text=str(found.failure["traceback"]))
        )


def _pick_event_fields(one: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in one.items() if name in ("topic", "id", "title", "state")}


def _add_title(title: str, value: object) -> Iterable[DetailSection]:
    for section in make_sections(value):
        shown = f"{title}: {section.title}" if section.title else title
        yield DetailSection(title=shown, body=section.body)


class StepBars(QWidget):
    """The steps of a run as bars, each as long as it took."""

    def __init__(self, found: RunDetails, zone: ZoneInfo) -> None:
        super().__init__()
        self._phases, self._zone = found.phases, zone
        self._lines = _describe_phases(found.phases, zone)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(translate("history", "Steps"))
        self.setAccessibleDescription(". ".join(f"{name}, {said}" for name, said in self._lines))
        self.setToolTip("\n".join(f"{name}: {said}" for name, said in self._lines))

    def sizeHint(self) -> QSize:  # noqa: N802  # Qt's name
        return QSize(240, _ROW_HEIGHT * len(self._lines))

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802  # Qt's name
        colours, painter = colours_of(self), QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        metrics = painter.fontMetrics()
        names = max(metrics.horizontalAdvance(name) for name, _ in self._lines) + Space.MEDIUM
        times = max(metrics.horizontalAdvance(said) for _, said in self._lines) + Space.MEDIUM
        room = max(self.width() - names - times, 20)
        first, last = self._phases[0].at, self._phases[-1].at
        whole = max((last - first).total_seconds(), 0.001)
        for place, (name, said) in enumerate(self._lines):
            top = place * _ROW_HEIGHT
            begin = (self._phases[place].at - first).total_seconds() / whole
            end = (self._phases[place + 1].at - first).total_seconds() / whole
            painter.setPen(QColor(colours.text))
            painter.drawText(QRectF(0, top, names, _ROW_HEIGHT), Qt.AlignmentFlag.AlignVCenter, name)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colours.tones[Tone.BUSY].text))
            bar = QRectF(
                names + begin * room, top + (_ROW_HEIGHT - _BAR_HEIGHT) / 2, max((end - begin) * room, 2), _BAR_HEIGHT
            )
            painter.drawRoundedRect(bar, 2, 2)
            painter.setPen(QColor(colours.muted))
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            painter.drawText(QRectF(names + room, top, times, _ROW_HEIGHT), side, said)
        painter.end()


def _describe_phases(phases: tuple[PhaseView, ...], zone: ZoneInfo) -> list[tuple[str, str]]:
    return [
        (one.phase.value, f"{format_clock_time(one.at, zone)} · {format_duration(after.at - one.at)}")
        for one, after in pairwise(phases)
    ]
