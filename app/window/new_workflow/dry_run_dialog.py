"""The dialog of a test run, and the cards of its steps: outside actions are shown instead of done."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.i18n.connector_labels import parameter_labels
from app.i18n.time_text import format_day_and_time, format_number
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.stylesheet import set_style
from app.theme.tokens import Space, Tone
from app.widgets.details import DetailSection, TextBlock, make_sections
from app.widgets.details_view import DetailsView, make_label
from app.widgets.fit_to_screen import find_room, fit_to_screen
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import run_sign
from app.widgets.value_text import format_value
from app.widgets.visible_text import escape_invisible
from app.window.feedback import StatusLine, make_button, make_field_label, make_heading
from app.window.history.history_data import state_of_status
from app.window.new_workflow.dry_run_process import DryRunProcess
from scheduler.rules.handler_ids import name_in_words
from scheduler.rules.phases import RunStatus
from scheduler.shell_words import join_words
from scheduler.user_text import unpack

translate = QCoreApplication.translate


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    at: datetime
    handler: str
    status: RunStatus
    sentence: str
    has_failed: bool
    question: str
    tool: str
    connection: str
    parameters: Mapping[str, Any]
    commands: tuple[str, ...]
    log: str
    times: int
    until: datetime


def parse_step(record: Mapping[str, Any]) -> StepResult:
    """Parse a step from the output of `dayhand try --json`."""
    action = record["action"] or {}
    return StepResult(
        at=datetime.fromisoformat(record["at"]),
        handler=record["handler"],
        status=RunStatus(record["status"]),
        sentence=translate_text(unpack(record["error_text"]) or "") or record["summary"] or "",
        has_failed=bool(record["error"]),
        question="\n".join(
            [*map(_describe_question, record["questions"]), *([record["asked"]] if record["asked"] else [])]
        ),
        tool=action.get("tool", ""),
        connection=action.get("connection", ""),
        parameters=action.get("parameters", {}),
        commands=tuple(join_words(words) for words in record["commands"]),
        log=record["log"].rstrip("\n"),
        times=record["times"],
        until=datetime.fromisoformat(record["until"]),
    )


def _describe_question(asked: tuple[str, Any]) -> str:
    """What the script asks, and the answer that the dry run took."""
    text, answer = asked
    return translate("trial", "{question} (assumed: {answer})").format(question=text, answer=format_value(answer))


class StepCard(QFrame):
    def __init__(self, step: StepResult, zone: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_style(self, "surface", "card")
        self.step = step
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.LARGE, Space.MEDIUM, Space.LARGE, Space.MEDIUM)
        layout.setSpacing(Space.SMALL)
        head = QHBoxLayout()
        head.setSpacing(Space.MEDIUM)
        head.addWidget(StatusChip(run_sign(state_of_status(step.status))))
        when, until = (
            format_day_and_time(at.replace(microsecond=0), ZoneInfo(zone), step.at) for at in (step.at, step.until)
        )
        head.addWidget(make_label(f"{escape_invisible(name_in_words(step.handler))} · {when}", "muted"), 1)
        layout.addLayout(head)
        said = step.sentence or translate("trial", "Nothing to report.")
        sections = list_sections(step)
        if step.times > 1:
            said = translate("trial", "Nothing to report, {number} times until {time}.")
            if step.sentence or sections:
                said, sections = translate("trial", "The same {number} more times until {time}."), []
            said = said.format(number=format_number(step.times), time=until)
        layout.addWidget(make_label(escape_invisible(said), Tone.BAD.value if step.has_failed else ""))
        if sections:
            layout.addWidget(DetailsView(sections))


def list_sections(step: StepResult) -> list[DetailSection]:
    """What it would ask and do, and what it printed."""
    sections = []
    if step.question:
        sections.append(
            DetailSection(
                title=translate("trial", "It would ask you"), body=TextBlock(text=escape_invisible(step.question))
            )
        )
    if step.tool:
        what = translate("trial", "{tool} on {connection}").format(tool=step.tool, connection=step.connection)
        title = translate("trial", "It would do this")
        sections.append(DetailSection(title=title, body=TextBlock(text=escape_invisible(what))))
        sections += make_sections(step.parameters, parameter_labels())
    if step.commands:
        title = translate("trial", "It would run these commands")
        sections.append(DetailSection(title=title, body=TextBlock(text=escape_invisible("\n".join(step.commands)))))
    if step.log:
        sections.append(
            DetailSection(title=translate("trial", "Output"), body=TextBlock(text=escape_invisible(step.log)))
        )
    return sections


_STEPS_AT_ONCE = 10
"""Creating widgets is slow."""


class DryRunDialog(QDialog):
    shown = Signal()
    """The results are shown."""

    def __init__(
        self,
        session: Session,
        path: Path,
        *,
        name: str = "",
        source: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """Runs `source`, or else the file as it is when the test run starts."""
        super().__init__(parent)
        self._path, self._source = path, source
        self._zone = session.zone
        self._hidden_steps: list[dict[str, Any]] = []
        self.process = DryRunProcess(session.folder, self)
        self.setWindowTitle(self.tr("Test run"))
        self.setMinimumSize(QSize(620, 360).boundedTo(find_room(self)))
        self.heading = make_heading(self.tr("Test run: {name}").format(name=escape_invisible(name or path.name)))
        self.words = make_label(
            self.tr(
                "A test run reads real data, changes nothing through connections, and assumes you approve. You see "
                "what it would do. Anything the script does without a connection really happens."
            ),
            "muted",
        )
        self.span = QComboBox()
        self.span.setAccessibleName(self.tr("Period"))
        for words, days in (
            (self.tr("Once"), 0),
            (self.tr("One day of its schedule"), 1),
            (self.tr("One week of its schedule"), 7),
            (self.tr("One month of its schedule"), 31),
        ):
            self.span.addItem(words, days)
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("Test run in progress"))
        self.busy.hide()
        self.status_line = StatusLine()
        self.more = make_button("")
        self.more.hide()
        self.close_button = make_button(self.tr("Close"))
        self.start_button = make_button(self.tr("Start test run"), "Ctrl+Return", importance="primary")
        self._make_results()
        self._lay_out()
        self.process.progress.connect(lambda sentence: self.status_line.show_message(sentence, Tone.QUIET))
        self.process.ended.connect(self._show)
        self.process.failed.connect(self._fail)
        self.more.clicked.connect(self._show_more)
        self.close_button.clicked.connect(self.reject)
        self.start_button.clicked.connect(self.start)
        self.start_button.setDefault(True)

    def start(self) -> None:
        self._clear()
        self.busy.show()
        self.start_button.setEnabled(False)
        self.status_line.show_message(self.tr("Test run in progress…"), Tone.QUIET)
        self.process.start(self._path, self._source, days=self.span.currentData())

    def reject(self) -> None:
        self.process.cancel()
        super().reject()
        self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        self.process.cancel()
        super().closeEvent(event)

    def _make_results(self) -> None:
        self.results = QScrollArea()
        self.results.setWidgetResizable(True)
        self.results.setFrameShape(QFrame.Shape.NoFrame)
        self.results.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.results.setAccessibleName(self.tr("What it would do"))
        self.results.hide()
        inner = QWidget()
        whole = QVBoxLayout(inner)
        whole.setContentsMargins(0, 0, Space.SMALL, 0)
        whole.setSpacing(Space.MEDIUM)
        self._steps = QVBoxLayout()
        self._steps.setSpacing(Space.MEDIUM)
        whole.addLayout(self._steps)
        whole.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        whole.addStretch(1)
        self.results.setWidget(inner)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(self.heading)
        layout.addWidget(self.words)
        layout.addWidget(self.results, 1)
        layout.addWidget(self.busy)
        layout.addWidget(self.status_line)
        self._spacer = QWidget()
        layout.addWidget(self._spacer, 1)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(make_field_label(self.tr("&Period"), self.span))
        row.addWidget(self.span)
        row.addStretch(1)
        row.addWidget(self.close_button)
        row.addWidget(self.start_button)
        layout.addLayout(row)

    def _clear(self) -> None:
        while (item := self._steps.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._hidden_steps = []
        self.more.hide()
        self.results.hide()
        self._spacer.show()

    def _show_idle(self) -> None:
        self.busy.hide()
        self.start_button.setEnabled(True)
        self.start_button.setText(self.tr("Run again"))
        self.start_button.setShortcut("Ctrl+Return")

    def _fail(self, sentence: str) -> None:
        self._show_idle()
        self.status_line.show_message(sentence, Tone.BAD)

    def _show(self, answer: dict[str, Any]) -> None:
        self._show_idle()
        self._hidden_steps = list(answer["steps"])
        self.results.setVisible(bool(self._hidden_steps))
        self._spacer.setVisible(not self._hidden_steps)
        if self._hidden_steps:
            fit_to_screen(self, self.size().expandedTo(QSize(680, 560)))
        self._show_more()
        failed = any(step["error"] for step in answer["steps"])
        self.status_line.show_message(self._summarise(answer), Tone.BAD if failed else Tone.GOOD)
        self.shown.emit()

    def _show_more(self) -> None:
        shown, self._hidden_steps = self._hidden_steps[:_STEPS_AT_ONCE], self._hidden_steps[_STEPS_AT_ONCE:]
        for step in shown:
            self._steps.addWidget(StepCard(parse_step(step), self._zone))
        self.more.setText(self.tr("Show more ({number})").format(number=format_number(len(self._hidden_steps))))
        self.more.setVisible(bool(self._hidden_steps))

    def _summarise(self, answer: dict[str, Any]) -> str:
        number = sum(step["times"] for step in answer["steps"])
        if not number:
            said = [self.tr("Nothing ran: there was nothing to do.")]
        elif number == 1:
            said = [self.tr("1 run; nothing was changed.")]
        else:
            said = [self.tr("{number} runs; nothing was changed.").format(number=format_number(number))]
        if answer["is_cut"]:
            said.append(self.tr("Stopped early; more runs would follow."))
        if datetime.fromisoformat(answer["ended"]) > datetime.fromisoformat(answer["began"]) and number:
            said.append(self.tr("Times are simulated."))
        said += [self.tr("Still waiting at the end: {sentence}").format(sentence=one) for one in answer["waits"]]
        return "\n".join([" ".join(said), *answer["warnings"]])
