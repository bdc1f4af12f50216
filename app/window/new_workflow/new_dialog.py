"""The dialog that creates a workflow from a template: choose one, fill in its fields, and write the script."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.background import BackgroundTasks
from app.i18n.template_labels import translate_template_text
from app.session import Session
from app.template_questions import InvalidAnswerError, QuestionKind, TemplateQuestion
from app.templates import Template, list_templates
from app.theme.tokens import Space, Tone
from app.widgets.details_view import make_label
from app.widgets.fit_to_screen import find_room, fit_to_screen
from app.window.feedback import StatusLine, make_button, make_heading, make_path_button
from app.window.new_workflow.script_file import describe_bad_answer, required_text, suggest_path, write_script
from app.window.workflows.list_view import make_text_list

_LIST_WIDTH = 190


class NewWorkflowDialog(QDialog):
    written = Signal(object, str, bool)
    """Path of the script, its text, and whether to open it in the editor."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._background = session, BackgroundTasks(self)
        self.setWindowTitle(self.tr("New workflow"))
        self.setMinimumSize(QSize(600, 340).boundedTo(find_room(self)))
        fit_to_screen(self, QSize(760, 560))
        self.templates = list_templates()
        self.inputs: dict[str, QLineEdit] = {}
        self.list = make_text_list(self.tr("Templates"))
        self.list.setFixedWidth(_LIST_WIDTH)
        for template in self.templates:
            self.list.addItem(translate_template_text(template.name))
        self.name = QLineEdit()
        self.file = QLineEdit()
        self.edit_box = QCheckBox(self.tr("&Open the script in my editor"))
        self.edit_box.setChecked(True)
        self.status_line = StatusLine()
        self.cancel = make_button(self.tr("Cancel"))
        self.continue_button = make_button(self.tr("Continue"), "Ctrl+Return", importance="primary")
        self._lay_out()
        self.list.currentRowChanged.connect(self._show)
        self.cancel.clicked.connect(self.reject)
        self.continue_button.clicked.connect(self._write)
        self.continue_button.setDefault(True)
        self.list.setCurrentRow(0)

    @property
    def template(self) -> Template:
        return self.templates[max(self.list.currentRow(), 0)]

    def reject(self) -> None:
        super().reject()
        self.deleteLater()

    def _lay_out(self) -> None:
        self.form = QScrollArea()
        self.form.setWidgetResizable(True)
        self.form.setFrameShape(QFrame.Shape.NoFrame)
        self.form.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.form.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        body = QHBoxLayout()
        body.setSpacing(Space.LARGE)
        body.addWidget(self.list)
        body.addWidget(self.form, 1)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.cancel)
        row.addWidget(self.continue_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.tr("New workflow")))
        layout.addLayout(body, 1)
        layout.addWidget(self.status_line)
        layout.addLayout(row)

    def _show(self) -> None:
        """Show the fields of the chosen template."""
        template, inner = self.template, QWidget()
        self.status_line.clear()
        for kept in (self.name, self.file, self.edit_box):
            kept.setParent(None)
        self.inputs = {}
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, 0, Space.SMALL, 0)
        layout.setSpacing(Space.TIGHT)
        summary = translate_template_text(template.summary)
        layout.addWidget(make_label(f"{summary[:1].upper()}{summary[1:]}."))
        for question in template.questions:
            line = QLineEdit(self._default(question))
            self.inputs[question.name] = line
            self._add(layout, translate_template_text(question.text), line, question.kind)
        self.name.setText(translate_template_text(template.name))
        self._add(layout, self.tr("Name"), self.name)
        self.file.setText(str(suggest_path(template)))
        self._add(layout, self.tr("Save the script as"), self.file, QuestionKind.FILE)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(self.edit_box)
        layout.addStretch(1)
        self.form.setWidget(inner)

    def _default(self, question: TemplateQuestion) -> str:
        if question.kind is QuestionKind.ZONE:
            return self._session.zone
        return question.default_text()

    def _add(self, layout: QVBoxLayout, words: str, line: QLineEdit, kind: QuestionKind = QuestionKind.TEXT) -> None:
        """Add a field with its label above it: labels may be long."""
        label = make_label(words)
        label.setBuddy(line)
        line.setAccessibleName(words)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(label)
        row = QHBoxLayout()
        row.addWidget(line, 1)
        if kind in (QuestionKind.FOLDER, QuestionKind.FILE):
            chosen = self.tr("Choose: {question}").format(question=words)
            row.addWidget(make_path_button(line, chosen, is_folder=kind is QuestionKind.FOLDER))
        layout.addLayout(row)

    def _read(self) -> dict[str, Any] | None:
        """The answers; None if one is invalid, which is then shown."""
        answers = {}
        for question in self.template.questions:
            line = self.inputs[question.name]
            try:
                answers[question.name] = question.parse(line.text())
            except InvalidAnswerError:
                asked = translate_template_text(question.text)
                self._refuse(f"{asked}: {describe_bad_answer(question, line.text())}", line)
                return None
        for line in (self.name, self.file):
            if not line.text().strip():
                self._refuse(f"{line.accessibleName()}: {required_text()}", line)
                return None
        return answers

    def _refuse(self, sentence: str, line: QLineEdit) -> None:
        self.status_line.show_message(sentence, Tone.BAD)
        line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.form.ensureWidgetVisible(line)

    def _write(self) -> None:
        answers = self._read()
        if answers is None:
            return
        session, template, name = self._session, self.template, self.name.text().strip()
        path = Path(self.file.text().strip()).expanduser().absolute()
        path = path if path.suffix == ".py" else path.with_name(f"{path.name}.py")
        self.status_line.show_message(self.tr("Writing {file}…").format(file=path.name), Tone.QUIET)
        self.continue_button.setEnabled(False)
        self._background.run(
            lambda: write_script(session, template, answers, name, path),
            lambda script: self._finish(path, script),
            self._fail,
        )

    def _fail(self, error: Exception) -> None:
        self.continue_button.setEnabled(True)
        self.status_line.show_error(error)

    def _finish(self, path: Path, script: str) -> None:
        self.accept()
        self.written.emit(path, script, self.edit_box.isChecked())
        self.deleteLater()
