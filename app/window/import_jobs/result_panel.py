"""What an import has done, what is left to do in the old scheduler, and how to undo it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.i18n.time_text import format_number
from app.i18n.translate import translate_text
from app.job_importer import ImportPlan, ImportResult
from app.theme.tokens import Space, TextStyle, Tone
from app.widgets.details_view import make_label
from app.widgets.visible_text import escape_invisible
from app.window.feedback import make_button, make_heading
from scheduler.job_import.switch_off import list_switch_off_commands

_MAX_COMMAND_LINES = 6
_LINE_CHARS = 90
"""About as many fit in a line of the commands."""


class ImportResultPanel(QWidget):
    start_requested = Signal()
    """The user has switched off the old entries."""
    undo_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.summary = make_heading("", TextStyle.STRONG)
        self.summary.setWordWrap(True)
        self.refused = make_label("", Tone.BAD.value)
        self.advice = make_label("")
        self.commands = QPlainTextEdit()
        self.commands.setReadOnly(True)
        self.commands.setTabChangesFocus(True)
        self.commands.setProperty("field", "true")
        self.commands.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.commands.setAccessibleName(self.tr("Commands that switch off the old entries"))
        self.copy = make_button(self.tr("&Copy the commands"))
        self.start = make_button(self.tr("&Start the imported jobs"))
        self.undo = make_button(self.tr("&Undo the import"))
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.commands.toPlainText()))
        self.start.clicked.connect(self.start_requested)
        self.undo.clicked.connect(self.undo_requested)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        for button in (self.copy, self.start, self.undo):
            row.addWidget(button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.MEDIUM)
        for widget in (self.summary, self.refused, self.advice, self.commands):
            layout.addWidget(widget)
        layout.addLayout(row)

    def show_results(self, plan: ImportPlan, results: Sequence[ImportResult], *, is_paused: bool) -> None:
        created = [one for one in results if one.workflow is not None]
        self.summary.setText(self._describe(len(created), is_paused=is_paused))
        self.refused.setText(
            "\n".join(
                self.tr("{file}, line {line} was not imported: {reason}").format(
                    file=one.planned.job.place, line=one.planned.job.line, reason=translate_text(one.error)
                )
                for one in results
                if one.workflow is None
            )
        )
        self.refused.setVisible(bool(self.refused.text()))
        commands = list_switch_off_commands(plan.query, [one.planned.job for one in created]) if created else []
        self.commands.setPlainText(escape_invisible("\n".join(commands)))
        lines = min(sum(1 + len(one) // _LINE_CHARS for one in commands), _MAX_COMMAND_LINES) + 1
        self.commands.setFixedHeight(lines * self.commands.fontMetrics().lineSpacing() + Space.LARGE)
        self.advice.setText(self._advise(has_commands=bool(commands)) if created else "")
        for part in (self.commands, self.copy):
            part.setVisible(bool(commands))
        self.start.setVisible(bool(created) and is_paused)
        self.undo.setVisible(bool(created))

    def _describe(self, number: int, *, is_paused: bool) -> str:
        if number == 0:
            return self.tr("Nothing was imported.")
        if number == 1:
            return self.tr("1 job imported; it is paused.") if is_paused else self.tr("1 job imported and started.")
        said = self.tr("{number} jobs imported; they are paused.")
        if not is_paused:
            said = self.tr("{number} jobs imported and started.")
        return said.format(number=format_number(number))

    def _advise(self, *, has_commands: bool) -> str:
        if has_commands:
            return self.tr(
                "The old entries still run. Switch them off, or each job runs twice. Dayhand does not change them; "
                "these commands do it in a terminal:"
            )
        return self.tr("The old entries still run. Switch them off where they come from, or each job runs twice.")
