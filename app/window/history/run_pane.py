"""One run with everything about it: what came of it, what was done exactly, its log, and the rest behind Details."""

from dataclasses import replace
from zoneinfo import ZoneInfo

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.asking import Asking, command
from app.life.installation import Installation
from app.look.dressing import mark
from app.look.theme import Space, Tone, Type
from app.requests import say_connection, say_tool
from app.widgets.chip import Chip
from app.widgets.details import read_details
from app.widgets.details_view import DetailsView, make_text
from app.widgets.log_view import LogView
from app.widgets.plain import reveal
from app.widgets.signs import sign_run
from app.window.frame import CardArea
from app.window.history_details import make_details, say_trigger
from app.window.history_rows import say_nothing
from app.window.saying import Saying, make_button, make_heading
from app.window.states import state_of_run
from app.words.connectors import name_parameters
from app.words.interpreting import interpret
from app.words.states import RunState
from app.words.times import say_range, say_span
from scheduler.engine.workflows.views.runs import LogPart, RunDetails
from scheduler.rules.phases import Status

_LOOK_MS = 700
"""How often a log that still grows is looked at."""
_RESOLVES = frozenset({"unsure", "interrupted"})


class RunPane(CardArea):
    """Shows one run at a time and follows it while it is seen."""

    closed = Signal()
    changed = Signal()
    """A command was carried out."""
    open_page = Signal(str, str)

    def __init__(self, installation: Installation) -> None:
        inner = QWidget()
        super().__init__(inner)
        self._installation, self._asking = installation, Asking(self)
        self._zone = ZoneInfo(installation.house.engine.context.machine_zone)
        self.run, self._name = "", ""
        self.details: RunDetails | None = None
        self._part = 0
        self._is_asking = self._shows_more = False
        self.saying = Saying()
        self.log = LogView()
        self._whole = QVBoxLayout(inner)
        self._whole.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        self._whole.setSpacing(Space.MEDIUM)
        self._top = QWidget()
        self._whole.addWidget(self._top)
        self._whole.addWidget(self.saying)
        self._whole.addWidget(self.log, 1)
        self._whole.addStretch(0)
        self._clock = QTimer(self, interval=_LOOK_MS)
        self._clock.timeout.connect(self._follow)

    def open(self, run: str) -> None:
        if run != self.run:
            self.run, self.details, self._part = run, None, 0
            self.log.clear()
            self.saying.clear()
        self.refresh()

    def refresh(self) -> None:
        run = self.run
        if run:
            installation = self._installation
            self._asking.ask_latest(
                "run", lambda: _read(installation, run), lambda found: self._show(run, *found), self._refuse
            )
            self._follow()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        self._clock.start()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        super().hideEvent(event)
        self._clock.stop()

    def _refuse(self, error: Exception) -> None:
        self.saying.refuse(error)

    def _show(self, run: str, found: RunDetails, name: str) -> None:
        if run != self.run:
            return
        self._name = name
        shown = replace(found, log="")
        if shown == self.details:
            return
        self.details = shown
        old, self._top = self._top, self._make_top(shown)
        self._whole.replaceWidget(old, self._top)
        self._top.show()
        old.hide()
        old.deleteLater()

    def _make_top(self, found: RunDetails) -> QWidget:
        box = QWidget()
        layout = QVBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        first = QHBoxLayout()
        first.addWidget(Chip(sign_run(_state(found))))
        first.addStretch(1)
        close = make_button(self.tr("Close"), "Escape")
        close.clicked.connect(self.closed)
        first.addWidget(close)
        layout.addLayout(first)
        heading = make_text(
            reveal(interpret(found.error or "") or found.summary or say_nothing(found) or sign_run(_state(found)).word)
        )
        heading.setFont(make_heading("", Type.TITLE).font())
        layout.addWidget(heading)
        layout.addWidget(make_text(self._say_when(found), "muted"))
        more, details = self._make_more(), make_details(found, self._zone)
        layout.addLayout(self._make_buttons(found, more))
        if found.failure and found.failure.get("file"):
            place = self.tr("{file}, line {line}").format(
                file=found.failure["file"], line=found.failure.get("line") or "?"
            )
            layout.addWidget(make_text(place, Tone.BAD.value))
        if found.call is not None:
            layout.addWidget(self._make_call(found))
        details.setVisible(self._shows_more)
        more.toggled.connect(details.setVisible)
        layout.addWidget(details)
        return box

    def _say_when(self, found: RunDetails) -> str:
        now = self._installation.house.engine.context.clock.now()
        at = found.began or found.planned
        when = "" if at is None else say_range(at, found.ended, self._zone, now)
        parts = [self._name or found.workflow, when, say_trigger(found.trigger)]
        if found.began and found.ended:
            parts.append(self.tr("took {span}").format(span=say_span(found.ended - found.began)))
        return " · ".join(part for part in parts if part)

    def _make_buttons(self, found: RunDetails, more: QPushButton) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        for button in self._buttons(found):
            row.addWidget(button)
        workflow = make_button(self.tr("Open workflow"))
        workflow.clicked.connect(lambda: self.open_page.emit("workflows", found.workflow))
        row.addWidget(workflow)
        row.addWidget(more)
        row.addStretch(1)
        return row

    def _buttons(self, found: RunDetails) -> list[QPushButton]:
        still_open = [one for one in found.requests if one.answer is None]
        if any(one.kind in _RESOLVES for one in still_open):
            return [
                self._resolve(self.tr("It happened"), "happened", importance="primary"),
                self._resolve(self.tr("It didn't"), "not-happened"),
                self._resolve(self.tr("Skip"), "skip"),
            ]
        if still_open and all(one.kind in ("approval", "permission", "reconnect") for one in still_open):
            button = make_button(self.tr("Answer"), importance="primary")
            button.clicked.connect(lambda: self.open_page.emit("attention", still_open[0].id))
            return [button]
        if found.status is Status.ACTIVE:
            button = make_button(self.tr("Stop"), importance="risky")
            button.clicked.connect(lambda: self._command("stop", target=found.id))
            return [button]
        is_last = not found.chain or found.chain[-1].id == found.id
        if is_last and found.status in (Status.LOGIC, Status.INTERNAL, Status.TRANSIENT):
            button = make_button(self.tr("Try again"), "Ctrl+Shift+R", importance="primary")
            button.clicked.connect(lambda: self._command("retry", target=found.id))
            return [button]
        return []

    def _resolve(self, label: str, answer: str, importance: str = "") -> QPushButton:
        button = make_button(label, importance=importance)
        button.clicked.connect(lambda: self._command("resolve", run=self.run, answer=answer))
        return button

    def _make_call(self, found: RunDetails) -> QWidget:
        """Exactly what was asked of the outside."""
        assert found.call is not None
        card = QFrame()
        mark(card, "surface", "card")
        layout = QVBoxLayout(card)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.LARGE, Space.MEDIUM)
        titles = {
            "applied": self.tr("What was done"),
            "skipped": self.tr("What was not done"),
            "failed": self.tr("What was tried"),
            "in_flight": self.tr("What is being done"),
            "unsure": self.tr("What may have been done"),
        }
        layout.addWidget(make_heading(titles.get(found.call.status, self.tr("What was asked")), Type.STRONG))
        registry, name = self._installation.house.registry, found.call.connection
        for words in (say_tool(name, found.call.tool, registry), say_connection(name, registry)):
            layout.addWidget(make_text(reveal(words), "muted"))
        layout.addWidget(DetailsView(read_details(found.call.parameters, name_parameters())))
        return card

    def _make_more(self) -> QPushButton:
        button = make_button(self.tr("Details"))
        button.setCheckable(True)
        button.setChecked(self._shows_more)
        button.setAccessibleDescription(self.tr("Attempts, steps with their times, data"))

        def remember(*, on: bool) -> None:
            self._shows_more = on

        button.toggled.connect(lambda on: remember(on=on))
        return button

    def _command(self, verb: str, **arguments: object) -> None:
        installation = self._installation
        self.saying.clear()
        self._asking.ask(lambda: command(installation, verb, **arguments), lambda _: self._done(), self.saying.refuse)

    def _done(self) -> None:
        self.changed.emit()
        self.refresh()

    def _follow(self) -> None:
        """Read what was printed since; a run that is over is read once."""
        is_over = self.details is not None and self.details.status is not Status.ACTIVE and self._part > 0
        if not self.run or self._is_asking or is_over:
            return
        self._is_asking = True
        run, part, views = self.run, self._part, self._installation.views
        self._asking.ask(lambda: views.log(run, part), lambda found: self._add(run, found), self._stop_asking)

    def _stop_asking(self, _error: Exception) -> None:
        self._is_asking = False

    def _add(self, run: str, found: LogPart) -> None:
        self._is_asking = False
        if run != self.run:
            self._follow()
            return
        if found.text:
            self.log.add(found.text)
        self._part = max(found.part, self._part)
        was_active = self.details is not None and self.details.status is Status.ACTIVE
        if found.is_over and was_active:
            self.refresh()


def _read(installation: Installation, run: str) -> tuple[RunDetails, str]:
    """With the name of its workflow."""
    found = installation.views.run(run)
    return found, installation.views.names().get(found.workflow, found.workflow)


def _state(found: RunDetails) -> RunState:
    return state_of_run(found.status, is_followed=found.is_followed)
