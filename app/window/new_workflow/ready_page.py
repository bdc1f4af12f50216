"""The last step before a workflow starts: what it will do, when, and what it will ask first."""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QLocale, QTime
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QProgressBar, QVBoxLayout, QWidget

from app.i18n.template_labels import translate_template_text
from app.template_questions import QuestionKind, TemplateQuestion
from app.templates import Template
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.details_view import make_label
from app.widgets.visible_text import escape_invisible
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.feedback import make_button, make_path_button
from app.window.new_workflow.deploy_check import CheckedScript
from scheduler.shell_words import join_words


class ReadyPage(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.does = make_label("")
        self.does.setFont(make_font(TextStyle.STRONG, self.does.font()))
        self.when, self.asks, self.uses = make_label(""), make_label(""), make_label("", "muted")
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("Checking the answers"))
        self.advanced = make_button(self.tr("Advanced"), importance="link")
        self.advanced.setCheckable(True)
        self.file = QLineEdit()
        self.file.setAccessibleName(self.tr("Save the script as"))
        self.paused = WrappingCheckBox(self.tr("Start &paused"))
        self.edit = WrappingCheckBox(self.tr("&Open the script in my editor"))
        self._more = QWidget()
        self._lay_out()
        self.advanced.toggled.connect(self._more.setVisible)

    def show_waiting(self, template: Template, answers: Mapping[str, Any]) -> None:
        """What the template does with these answers, while the rest is being worked out."""
        self.does.setText(escape_invisible(describe_template(template, answers)))
        asks = translate_template_text(template.asks)
        self.asks.setText(asks or self.tr("It does this without asking you first."))
        self.asks.setVisible(not template.is_for_programmers)
        for part in (self.when, self.uses):
            part.hide()
        self.busy.show()

    def show_checked(self, checked: CheckedScript) -> None:
        self.busy.hide()
        self.when.setText(" · ".join(checked.times))
        self.when.setVisible(bool(checked.times))
        lines = list(dict.fromkeys(use.words for use in checked.uses))
        self.uses.setText("\n".join([self.tr("It gets these permissions:"), *(f"• {one}" for one in lines)]))
        self.uses.setVisible(bool(lines))

    def show_options(self, path: Path, *, is_for_programmers: bool) -> None:
        self.file.setText(str(path))
        self.paused.setChecked(is_for_programmers)
        self.edit.setChecked(is_for_programmers)
        self.advanced.setChecked(is_for_programmers)
        self._more.setVisible(is_for_programmers)

    def script_path(self) -> Path:
        path = Path(self.file.text().strip()).expanduser().absolute()
        return path if path.suffix == ".py" else path.with_name(f"{path.name}.py")

    def hide_options(self) -> None:
        self.advanced.hide()
        self._more.hide()

    def _lay_out(self) -> None:
        label = make_label(self.file.accessibleName())
        label.setBuddy(self.file)
        row = QHBoxLayout()
        row.addWidget(self.file, 1)
        row.addWidget(make_path_button(self.file, self.tr("Choose where to save the script"), is_folder=False))
        inner = QVBoxLayout(self._more)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(Space.TIGHT)
        inner.addWidget(label)
        inner.addLayout(row)
        inner.addWidget(self.paused)
        inner.addWidget(self.edit)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.MEDIUM)
        for part in (self.does, self.when, self.asks, self.uses, self.busy):
            column.addWidget(part)
        line = QHBoxLayout()
        line.addWidget(self.advanced)
        line.addStretch(1)
        column.addLayout(line)
        column.addWidget(self._more)


def describe_template(template: Template, answers: Mapping[str, Any]) -> str:
    """What it will do, with the answers, on a line for each sentence; "…" for what was replaced by hand."""
    given = {one.name: answers.get(one.name, one.default) for one in template.questions}
    values = defaultdict(lambda: "…", {one.name: _to_words(one, given[one.name]) for one in template.questions})
    sentences = [template.does, *(sentence for name, sentence in template.also.items() if given.get(name))]
    return "\n".join(translate_template_text(one).format_map(values) for one in sentences)


def _to_words(question: TemplateQuestion, value: Any) -> str:
    match question.kind:
        case QuestionKind.ACCOUNT:
            return str(value).partition(":")[2]
        case QuestionKind.PAGE_TEXT:
            return str(value.get("text", "")) if isinstance(value, Mapping) else ""
        case QuestionKind.COMMAND:
            return join_words(value)
        case QuestionKind.AMOUNT:
            return QLocale().toString(float(value), "f", 0 if float(value).is_integer() else 2)
        case QuestionKind.TIME:
            return QLocale().toString(QTime.fromString(str(value), "HH:mm"), QLocale.FormatType.ShortFormat)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
