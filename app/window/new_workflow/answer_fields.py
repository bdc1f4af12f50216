"""A field for each question of a template, of the kind of its answer. Shows only those that apply to the others."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zoneinfo import available_timezones

from PySide6.QtCore import QCoreApplication, QLocale, Qt, QTime, Signal
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QTimeEdit,
    QVBoxLayout,
    QWidget,
)

from app.i18n.template_labels import translate_template_text
from app.i18n.time_text import time_format
from app.session import Session
from app.template_questions import WEEKDAYS, InvalidAnswerError, QuestionKind, TemplateQuestion
from app.theme.stylesheet import indent_spin_box
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.form_controls import install_wheel_guard, name_combo_box
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.feedback import make_path_button
from app.window.new_workflow.page_text_dialog import PageTextField

_MAX_NUMBER = 1_000_000
_PATHS = (QuestionKind.FOLDER, QuestionKind.NEW_FOLDER, QuestionKind.FILE)
translate = QCoreApplication.translate


class BadFieldError(Exception):
    """A field that must be corrected, and what to enter instead."""

    def __init__(self, field: QWidget, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.sentence = sentence


class AnswerFields(QWidget):
    rows_changed = Signal()
    """The visible rows changed."""
    edited = Signal()
    """The user typed something."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._questions: tuple[TemplateQuestion, ...] = ()
        self.inputs: dict[str, QWidget] = {}
        self._rows: dict[str, QWidget] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(Space.SMALL)

    def show_questions(self, questions: tuple[TemplateQuestion, ...], answers: Mapping[str, Any]) -> None:
        """Show these questions with these answers, or else with their defaults."""
        for row in self._rows.values():
            self._layout.removeWidget(row)
            row.setParent(None)
            row.deleteLater()
        self._questions, self.inputs, self._rows = questions, {}, {}
        for question in questions:
            default = self._session.zone if question.kind is QuestionKind.ZONE else question.default
            value = answers.get(question.name, "" if question.required else default)
            field = self._make_field(question, value)
            words = translate_template_text(question.text)
            if isinstance(field, QComboBox):
                name_combo_box(field, words)
            field.setAccessibleName(words)
            self.inputs[question.name] = field
            self._rows[question.name] = self._make_row(question, field, words)
            self._layout.addWidget(self._rows[question.name])
        install_wheel_guard(self)
        self._show_rows()

    def read(self) -> dict[str, Any]:
        """The answers to the questions shown. BadFieldError for the first that is invalid."""
        answers: dict[str, Any] = {}
        for question in self._questions:
            if question.is_asked(answers):
                answers[question.name] = self._read_field(question)
        return answers

    def _show_rows(self) -> None:
        flags = {name: field.isChecked() for name, field in self.inputs.items() if isinstance(field, QCheckBox)}
        for question in self._questions:
            self._rows[question.name].setVisible(question.is_asked(flags))
        self.rows_changed.emit()

    def _make_field(self, question: TemplateQuestion, value: Any) -> QWidget:
        match question.kind:
            case QuestionKind.FLAG:
                box = WrappingCheckBox(translate_template_text(question.text))
                box.setChecked(bool(value))
                box.toggled.connect(self._show_rows)
                return box
            case QuestionKind.NUMBER | QuestionKind.AMOUNT:
                number = QSpinBox() if question.kind is QuestionKind.NUMBER else QDoubleSpinBox()
                number.setRange(0, _MAX_NUMBER)
                number.setValue(value or 0)
                return _style_spin_box(number)
            case QuestionKind.TIME:
                clock = QTimeEdit(QTime.fromString(str(value), "HH:mm"))
                clock.setDisplayFormat(time_format())
                return _style_spin_box(clock)
            case QuestionKind.WEEKDAYS:
                weekdays = WeekdayField(value)
                weekdays.changed.connect(self.edited)
                return weekdays
            case QuestionKind.ZONE:
                zones = QComboBox()
                zones.addItems(sorted({*available_timezones(), str(value)}))
                zones.setCurrentText(str(value))
                return zones
            case QuestionKind.PAGE_TEXT:
                page = self.inputs[question.page]
                assert isinstance(page, QLineEdit)
                text = PageTextField(self._session, page, value or {})
                text.changed.connect(self.edited)
                return text
            case _:
                line = QLineEdit(_to_text(question, value))
                line.textChanged.connect(self.edited)
                return line

    def _make_row(self, question: TemplateQuestion, field: QWidget, words: str) -> QWidget:
        """The label above the field: labels may be long."""
        row = QWidget()
        column = QVBoxLayout(row)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Space.TIGHT)
        if not isinstance(field, QCheckBox):
            label = make_label(words)
            label.setBuddy(field)
            column.addWidget(label)
        line = QHBoxLayout()
        is_narrow = isinstance(field, QAbstractSpinBox)
        line.addWidget(field, 0 if is_narrow else 1)
        if question.kind in _PATHS and isinstance(field, QLineEdit):
            chosen = self.tr("Choose: {question}").format(question=words)
            line.addWidget(make_path_button(field, chosen, is_folder=question.kind is not QuestionKind.FILE))
        elif is_narrow:
            line.addStretch(1)
        column.addLayout(line)
        return row

    def _read_field(self, question: TemplateQuestion) -> Any:
        field = self.inputs[question.name]
        match field:
            case QCheckBox():
                return field.isChecked()
            case QTimeEdit():
                return field.time().toString("HH:mm")
            case QSpinBox():
                return field.value()
            case QDoubleSpinBox():
                return int(field.value()) if field.value().is_integer() else field.value()
            case QComboBox():
                return field.currentText()
            case WeekdayField() | PageTextField():
                if not field.value():
                    raise BadFieldError(field, f"{name_field(field)}: {describe_bad_answer(question, '')}")
                return field.value()
        assert isinstance(field, QLineEdit)
        try:
            value = question.parse(field.text())
        except InvalidAnswerError as error:
            said = describe_bad_answer(question, field.text())
            raise BadFieldError(field, f"{name_field(field)}: {said}") from error
        if question.kind is QuestionKind.FOLDER and not Path(value).is_dir():
            said = self.tr("{folder} is not a folder. Choose an existing one.").format(folder=value)
            raise BadFieldError(field, f"{name_field(field)}: {said}")
        return value


class WeekdayField(QWidget):
    """A button for each day of the week."""

    changed = Signal()

    def __init__(self, days: Any) -> None:
        super().__init__()
        row = FlowLayout()
        self.setLayout(row)
        self.days: dict[str, QPushButton] = {}
        for number, day in enumerate(WEEKDAYS, 1):
            button = QPushButton(QLocale().dayName(number, QLocale.FormatType.ShortFormat))
            button.setAccessibleName(QLocale().dayName(number, QLocale.FormatType.LongFormat))
            button.setCheckable(True)
            button.setChecked(isinstance(days, list) and day in days)
            button.toggled.connect(lambda _: self.changed.emit())
            self.days[day] = button
            row.addWidget(button)
        self.setFocusProxy(self.days[WEEKDAYS[0]])

    def value(self) -> list[str]:
        return [day for day, button in self.days.items() if button.isChecked()]


def describe_bad_answer(question: TemplateQuestion, text: str) -> str:
    """What to enter instead."""
    match question.kind:
        case QuestionKind.WEEKDAYS:
            return translate("new", "Choose at least one day.")
        case QuestionKind.PAGE_TEXT:
            return translate("new", "Choose it on the page.")
    if not text.strip():
        return required_text()
    match question.kind:
        case QuestionKind.NUMBER | QuestionKind.AMOUNT:
            return translate("new", "Enter 0 or more.")
        case QuestionKind.TIME:
            return translate("new", "Enter a time such as 09:00.")
        case QuestionKind.ZONE:
            return translate("new", "Unknown time zone. Enter one such as Europe/Berlin.")
        case QuestionKind.COMMAND:
            return translate("new", "Enter one command with matching quotes. For shell syntax: sh -c '…'")
        case QuestionKind.ADDRESS:
            return translate("new", "Enter a web address such as https://example.org/page.")
        case QuestionKind.MAIL:
            return translate("new", "Enter an email address such as me@example.org.")
        case _:
            return translate("new", "This value cannot be used here.")


def name_field(field: QWidget) -> str:
    """Its label without the example or explanation in it: "Page, such as https://…" is named Page."""
    return re.split(r"[,(:]", field.accessibleName(), maxsplit=1)[0].strip()


def required_text() -> str:
    return translate("new", "This field is required.")


def _to_text(question: TemplateQuestion, value: Any) -> str:
    """As it is typed."""
    if value == "" or value is None:
        return ""
    shown = TemplateQuestion(name="", text="", kind=question.kind, default=value, required=False).default_text()
    return str(question.parse(shown)) if question.kind in _PATHS else shown


def _style_spin_box(box: QAbstractSpinBox) -> QAbstractSpinBox:
    indent_spin_box(box)
    box.setMinimumWidth(box.fontMetrics().averageCharWidth() * 14)
    box.setAlignment(Qt.AlignmentFlag.AlignLeft)
    return box
