"""A new workflow from a template: choose one, answer what it asks, and the script is written."""

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

from app.asking import Asking
from app.life.installation import Installation
from app.look.theme import Space, Tone
from app.questions import BadAnswerError, Kind, Question
from app.templates import Template, all_templates
from app.widgets.details_view import make_text
from app.widgets.fitting import find_room, fit
from app.window.new_script import propose_file, say_bad_answer, say_missing, write_script
from app.window.path_choice import make_choose
from app.window.saying import Saying, make_button, make_heading
from app.window.workflow_lines import make_lines
from app.words.templates import say_template

_LIST = 190


class NewDialog(QDialog):
    written = Signal(object, str, bool)
    """The Path of the script, its text, and whether the person wants to open it."""

    def __init__(self, installation: Installation, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._installation, self._asking = installation, Asking(self)
        self.setWindowTitle(self.tr("New workflow"))
        self.setMinimumSize(QSize(600, 340).boundedTo(find_room(self)))
        fit(self, QSize(760, 560))
        self.templates = all_templates()
        self.inputs: dict[str, QLineEdit] = {}
        self.list = make_lines(self.tr("Templates"))
        self.list.setFixedWidth(_LIST)
        for template in self.templates:
            self.list.addItem(say_template(template.name))
        self.name = QLineEdit()
        self.file = QLineEdit()
        self.editing = QCheckBox(self.tr("&Open the script in my editor"))
        self.editing.setChecked(True)
        self.saying = Saying()
        self.cancel = make_button(self.tr("Cancel"))
        self.go_on = make_button(self.tr("Go on…"), "Ctrl+Return", importance="primary")
        self._lay_out()
        self.list.currentRowChanged.connect(self._show)
        self.cancel.clicked.connect(self.reject)
        self.go_on.clicked.connect(self._write)
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
        row.addWidget(self.go_on)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.tr("New workflow")))
        layout.addLayout(body, 1)
        layout.addWidget(self.saying)
        layout.addLayout(row)

    def _show(self) -> None:
        """Ask what this one asks."""
        template, inner = self.template, QWidget()
        self.saying.clear()
        for kept in (self.name, self.file, self.editing):
            kept.setParent(None)
        self.inputs = {}
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, 0, Space.SMALL, 0)
        layout.setSpacing(Space.TIGHT)
        summary = say_template(template.summary)
        layout.addWidget(make_text(f"{summary[:1].upper()}{summary[1:]}."))
        for question in template.questions:
            line = QLineEdit(self._default(question))
            self.inputs[question.name] = line
            self._add(layout, say_template(question.text), line, question.kind)
        self.name.setText(say_template(template.name))
        self._add(layout, self.tr("What is the workflow to be called?"), self.name)
        self.file.setText(str(propose_file(template)))
        self._add(layout, self.tr("In which file is the script to be?"), self.file, Kind.FILE)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(self.editing)
        layout.addStretch(1)
        self.form.setWidget(inner)

    def _default(self, question: Question) -> str:
        if question.kind is Kind.ZONE:
            return self._installation.house.engine.context.machine_zone
        return question.shown_default()

    def _add(self, layout: QVBoxLayout, words: str, line: QLineEdit, kind: Kind = Kind.TEXT) -> None:
        """The question above its answer: it may be long."""
        label = make_text(words)
        label.setBuddy(line)
        line.setAccessibleName(words)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(label)
        row = QHBoxLayout()
        row.addWidget(line, 1)
        if kind in (Kind.FOLDER, Kind.FILE):
            chosen = self.tr("Choose: {question}").format(question=words)
            row.addWidget(make_choose(line, chosen, is_folder=kind is Kind.FOLDER))
        layout.addLayout(row)

    def _read(self) -> dict[str, Any] | None:
        """The answers; None after it was said which one cannot be used."""
        answers = {}
        for question in self.template.questions:
            line = self.inputs[question.name]
            try:
                answers[question.name] = question.read(line.text())
            except BadAnswerError:
                asked = say_template(question.text)
                self._refuse(f"{asked} {say_bad_answer(question, line.text())}", line)
                return None
        for line in (self.name, self.file):
            if not line.text().strip():
                self._refuse(f"{line.accessibleName()} {say_missing()}", line)
                return None
        return answers

    def _refuse(self, sentence: str, line: QLineEdit) -> None:
        self.saying.say(sentence, Tone.BAD)
        line.setFocus(Qt.FocusReason.OtherFocusReason)
        self.form.ensureWidgetVisible(line)

    def _write(self) -> None:
        answers = self._read()
        if answers is None:
            return
        installation, template, name = self._installation, self.template, self.name.text().strip()
        path = Path(self.file.text().strip()).expanduser().absolute()
        path = path if path.suffix == ".py" else path.with_name(f"{path.name}.py")
        self.saying.say(self.tr("Writing {file}…").format(file=path.name), Tone.QUIET)
        self.go_on.setEnabled(False)
        self._asking.ask(
            lambda: write_script(installation, template, answers, name, path),
            lambda script: self._finish(path, script),
            self._fail,
        )

    def _fail(self, error: Exception) -> None:
        self.go_on.setEnabled(True)
        self.saying.refuse(error)

    def _finish(self, path: Path, script: str) -> None:
        self.accept()
        self.written.emit(path, script, self.editing.isChecked())
        self.deleteLater()
