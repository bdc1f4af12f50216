"""One run of a trial as a card: how it went, what it would have asked, and exactly what it would have done."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Tone
from app.widgets.chip import Chip
from app.widgets.details import Prose, Section, read_details
from app.widgets.details_view import DetailsView, make_text
from app.widgets.plain import reveal
from app.widgets.signs import sign_run
from app.window.states import state_of_run
from app.words.connectors import name_parameters
from app.words.interpreting import interpret
from app.words.times import say_number, say_time
from scheduler.rules.phases import Status

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    at: datetime
    handler: str
    status: Status
    sentence: str
    is_trouble: bool
    asked: str
    tool: str
    connection: str
    parameters: Mapping[str, Any]
    commands: tuple[str, ...]
    log: str
    times: int
    until: datetime


def read_step(told: Mapping[str, Any]) -> Step:
    """As `dayhand try --json` tells it."""
    action = told["action"] or {}
    return Step(
        at=datetime.fromisoformat(told["at"]),
        handler=told["handler"],
        status=Status(told["status"]),
        sentence=interpret(told["error"] or "") or told["summary"] or "",
        is_trouble=bool(told["error"]),
        asked=told["asked"] or "",
        tool=action.get("tool", ""),
        connection=action.get("connection", ""),
        parameters=action.get("parameters", {}),
        commands=tuple(shlex.join(words) for words in told["commands"]),
        log=told["log"].rstrip("\n"),
        times=told["times"],
        until=datetime.fromisoformat(told["until"]),
    )


class TriedStep(QFrame):
    def __init__(self, step: Step, zone: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        mark(self, "surface", "card")
        self.step = step
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.LARGE, Space.MEDIUM)
        layout.setSpacing(Space.SMALL)
        head = QHBoxLayout()
        head.setSpacing(Space.MEDIUM)
        head.addWidget(Chip(sign_run(state_of_run(step.status))))
        when, until = (say_time(at.replace(microsecond=0), ZoneInfo(zone), step.at) for at in (step.at, step.until))
        head.addWidget(make_text(f"{reveal(step.handler)} · {when}", "muted"), 1)
        layout.addLayout(head)
        said = step.sentence or translate("trial", "It had nothing to report.")
        sections = list_sections(step)
        if step.times > 1:
            said = translate("trial", "It had nothing to report, {number} times until {time}.")
            if step.sentence or sections:
                said, sections = translate("trial", "So it went {number} more times until {time}."), []
            said = said.format(number=say_number(step.times), time=until)
        layout.addWidget(make_text(reveal(said), Tone.BAD.value if step.is_trouble else ""))
        if sections:
            layout.addWidget(DetailsView(sections))


def list_sections(step: Step) -> list[Section]:
    """What it would have asked and done, and what it printed."""
    found = []
    if step.asked:
        found.append(Section(title=translate("trial", "It would ask you"), body=Prose(text=reveal(step.asked))))
    if step.tool:
        what = translate("trial", "{tool} on {connection}").format(tool=step.tool, connection=step.connection)
        title = translate("trial", "It would do this outside")
        found.append(Section(title=title, body=Prose(text=reveal(what))))
        found += read_details(step.parameters, name_parameters())
    if step.commands:
        title = translate("trial", "It would run these commands")
        found.append(Section(title=title, body=Prose(text=reveal("\n".join(step.commands)))))
    if step.log:
        found.append(Section(title=translate("trial", "It printed"), body=Prose(text=reveal(step.log))))
    return found
