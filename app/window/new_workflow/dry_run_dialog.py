"""Trying a script: it runs, and every outside action is shown instead of done."""

from datetime import datetime
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.life.installation import Installation
from app.look.theme import Space, Tone
from app.widgets.details_view import make_text
from app.widgets.fitting import find_room, fit
from app.widgets.plain import reveal
from app.window.saying import Saying, make_button, make_heading
from app.window.trial import Trial
from app.window.try_steps import TriedStep, read_step
from app.words.times import say_number

_BITE = 10
"""So many steps are shown at once: making widgets takes its time."""


class TryDialog(QDialog):
    shown = Signal()
    """What a trial found is there to be read."""

    def __init__(
        self,
        installation: Installation,
        path: Path,
        *,
        name: str = "",
        source: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        """The file as it is when it is tried, or that text."""
        super().__init__(parent)
        self._path, self._source = path, source
        self._zone = installation.house.engine.context.machine_zone
        self._waiting: list[dict[str, Any]] = []
        self.trial = Trial(installation.folder, self)
        self.setWindowTitle(self.tr("Try it"))
        self.setMinimumSize(QSize(620, 360).boundedTo(find_room(self)))
        self.heading = make_heading(self.tr("Try {name}").format(name=reveal(name or path.name)))
        self.words = make_text(
            self.tr(
                "It runs now, in a place of its own. It reads for real through your connections; what it would do "
                "outside is shown and not done. Where it would ask you, yes is taken for granted. What the script "
                "does by itself, without a connection, is done."
            ),
            "muted",
        )
        self.span = QComboBox()
        self.span.setAccessibleName(self.tr("How long"))
        for words, days in (
            (self.tr("Once"), 0),
            (self.tr("A day of its schedule"), 1),
            (self.tr("A week of its schedule"), 7),
            (self.tr("A month of its schedule"), 31),
        ):
            self.span.addItem(words, days)
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("It is being tried"))
        self.busy.hide()
        self.saying = Saying()
        self.more = make_button("")
        self.more.hide()
        self.close_button = make_button(self.tr("Close"))
        self.try_button = make_button(self.tr("Try it"), "Ctrl+Return", importance="primary")
        self._make_results()
        self._lay_out()
        self.trial.told.connect(lambda sentence: self.saying.say(sentence, Tone.QUIET))
        self.trial.ended.connect(self._show)
        self.trial.failed.connect(self._fail)
        self.more.clicked.connect(self._show_more)
        self.close_button.clicked.connect(self.reject)
        self.try_button.clicked.connect(self.start)

    def start(self) -> None:
        self._clear()
        self.busy.show()
        self.try_button.setEnabled(False)
        self.saying.say(self.tr("It is being tried…"), Tone.QUIET)
        self.trial.start(self._path, self._source, days=self.span.currentData())

    def steps(self) -> list[TriedStep]:
        """Those that are shown."""
        items = (self._steps.itemAt(place) for place in range(self._steps.count()))
        widgets = [item.widget() for item in items if item is not None]
        return [one for one in widgets if isinstance(one, TriedStep)]

    def reject(self) -> None:
        self.trial.give_up()
        super().reject()
        self.deleteLater()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802  # Qt's name
        self.trial.give_up()
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
        layout.addWidget(self.saying)
        self._rest = QWidget()
        layout.addWidget(self._rest, 1)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        label = QLabel(self.tr("&How long"))
        label.setBuddy(self.span)
        row.addWidget(label)
        row.addWidget(self.span)
        row.addStretch(1)
        row.addWidget(self.close_button)
        row.addWidget(self.try_button)
        layout.addLayout(row)

    def _clear(self) -> None:
        while (item := self._steps.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        self._waiting = []
        self.more.hide()
        self.results.hide()
        self._rest.show()

    def _stop_waiting(self) -> None:
        self.busy.hide()
        self.try_button.setEnabled(True)
        self.try_button.setText(self.tr("Try it again"))
        self.try_button.setShortcut("Ctrl+Return")

    def _fail(self, sentence: str) -> None:
        self._stop_waiting()
        self.saying.say(sentence, Tone.BAD)

    def _show(self, answer: dict[str, Any]) -> None:
        self._stop_waiting()
        self._waiting = list(answer["steps"])
        self.results.setVisible(bool(self._waiting))
        self._rest.setVisible(not self._waiting)
        if self._waiting:
            fit(self, self.size().expandedTo(QSize(680, 560)))
        self._show_more()
        failed = any(step["error"] for step in answer["steps"])
        self.saying.say(self._say_end(answer), Tone.BAD if failed else Tone.GOOD)
        self.shown.emit()

    def _show_more(self) -> None:
        now, self._waiting = self._waiting[:_BITE], self._waiting[_BITE:]
        for step in now:
            self._steps.addWidget(TriedStep(read_step(step), self._zone))
        self.more.setText(self.tr("Show more ({number})").format(number=say_number(len(self._waiting))))
        self.more.setVisible(bool(self._waiting))

    def _say_end(self, answer: dict[str, Any]) -> str:
        number = sum(step["times"] for step in answer["steps"])
        if not number:
            said = [self.tr("Nothing ran: there was nothing to do.")]
        elif number == 1:
            said = [self.tr("1 run. Nothing was done outside.")]
        else:
            said = [self.tr("{number} runs. Nothing was done outside.").format(number=say_number(number))]
        if answer["is_cut"]:
            said.append(self.tr("It would have gone on; so many are enough to see."))
        if datetime.fromisoformat(answer["ended"]) > datetime.fromisoformat(answer["began"]) and number:
            said.append(self.tr("Times are those of the trial."))
        said += [self.tr("At the end it waited: {sentence}").format(sentence=one) for one in answer["waits"]]
        return "\n".join([" ".join(said), *answer["warnings"]])
