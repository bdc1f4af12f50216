"""What waits to be dealt with by a workflow, one event to a line, each of which can be left out."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QPushButton, QWidget

from app.asking import Asking
from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone
from app.widgets.plain import reveal
from app.window.saying import Saying, make_button
from app.words.times import say_number, say_time
from scheduler.engine.refusal import RefusedError
from scheduler.store import events

_MOST = 20
_PATIENCE = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    topic: str
    id: str
    title: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingFacts:
    shown: tuple[Waiting, ...]
    """The oldest of each topic."""
    more: int
    zone: ZoneInfo
    now: datetime


def read_waiting(installation: Installation, workflow: str) -> WaitingFacts:
    """In any thread."""
    db, context = installation.database.read(), installation.house.engine.context
    numbers = events.number_pending(db, workflow)
    found = (
        Waiting(topic=row.topic, id=row.id, title=row.title or row.id, since=row.published)
        for topic in numbers
        for row in events.peek(db, workflow, topic, _MOST)
    )
    shown = tuple(islice(found, _MOST))
    zone = ZoneInfo(context.machine_zone)
    return WaitingFacts(shown=shown, more=sum(numbers.values()) - len(shown), zone=zone, now=context.clock.now())


class WaitingList(QFrame):
    """Rows stay and only their words change."""

    skipped = Signal(str, str)
    """Topic and id of one that was left out."""

    def __init__(self, installation: Installation) -> None:
        super().__init__()
        mark(self, "surface", "card")
        self._installation = installation
        self._asking = Asking(self)
        self._workflow = ""
        self.rows: list[_Row] = []
        self.saying = Saying()
        self.more = QLabel()
        mark(self.more, "ink", "muted")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(Space.LARGE, Space.SMALL, Space.LARGE, Space.SMALL)
        self._grid.setHorizontalSpacing(Space.MEDIUM)
        self._grid.setVerticalSpacing(Space.TIGHT)
        self._grid.setColumnStretch(1, 1)
        self._grid.addWidget(self.saying, 0, 0, 1, 3)
        self._grid.addWidget(self.more, _MOST + 1, 0, 1, 3)

    def set_workflow(self, workflow: str) -> None:
        if workflow != self._workflow:
            self._workflow = workflow
            self.saying.clear()
            for row in self.rows:
                row.hide()

    def refresh(self) -> None:
        installation, workflow = self._installation, self._workflow
        self._asking.ask_latest(
            "waiting",
            lambda: read_waiting(installation, workflow),
            lambda facts: self._show(workflow, facts),
            self.saying.refuse,
        )

    def _show(self, workflow: str, facts: WaitingFacts) -> None:
        if workflow != self._workflow:
            return
        while len(self.rows) < len(facts.shown):
            self.rows.append(_Row(self._grid, len(self.rows), self._skip, self))
        for row, one in zip(self.rows, facts.shown, strict=False):
            row.show(one, facts)
        for row in self.rows[len(facts.shown) :]:
            row.hide()
        self.more.setText(self.tr("And {number} more.").format(number=say_number(facts.more)))
        self.more.setVisible(facts.more > 0)

    def _skip(self, one: Waiting) -> None:
        installation, workflow = self._installation, self._workflow

        def act() -> object:
            skip = installation.house.events.skip
            return installation.ask_for_user(lambda _: skip(workflow, one.topic, one.id)).result(_PATIENCE)

        def done(_: object) -> None:
            self.saying.say(self.tr("{title} is left out.").format(title=reveal(one.title)), Tone.GOOD)
            self.skipped.emit(one.topic, one.id)
            self.refresh()

        def refuse(error: Exception) -> None:
            self.saying.refuse(error)
            if isinstance(error, RefusedError):
                self.refresh()

        self._asking.ask(act, done, refuse)


class _Row:
    """The widgets of one event, in a row of the grid."""

    def __init__(self, grid: QGridLayout, place: int, skip: Callable[[Waiting], None], parent: WaitingList) -> None:
        self.event: Waiting | None = None
        self.when, self.title = QLabel(parent), QLabel(parent)
        mark(self.when, "ink", "muted")
        self.title.setTextFormat(Qt.TextFormat.PlainText)
        self.title.setWordWrap(True)
        self.button: QPushButton = make_button(QCoreApplication.translate("waiting", "Skip"))
        self.button.clicked.connect(lambda: None if self.event is None else skip(self.event))
        for column, widget in enumerate(self._widgets()):
            grid.addWidget(widget, place + 1, column, Qt.AlignmentFlag.AlignVCenter)

    def show(self, one: Waiting, facts: WaitingFacts) -> None:
        self.event = one
        self.when.setText(say_time(one.since.replace(second=0, microsecond=0), facts.zone, facts.now))
        self.title.setText(reveal(one.title))
        self.button.setAccessibleDescription(reveal(one.title))
        for widget in self._widgets():
            widget.show()

    def hide(self) -> None:
        self.event = None
        for widget in self._widgets():
            widget.hide()

    def _widgets(self) -> tuple[QWidget, ...]:
        return self.when, self.title, self.button
