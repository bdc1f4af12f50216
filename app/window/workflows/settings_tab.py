"""What can be set about one workflow, and putting it away."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.look.theme import Space, Type
from app.widgets.details_view import make_text
from app.widgets.plain import reveal
from app.window.saying import make_button, make_heading
from app.window.workflow_facts import WorkflowFacts
from scheduler.rules.states import WorkflowState


class WorkflowSettingsTab(QScrollArea):
    watch = Signal(bool)
    archive = Signal()
    remove = Signal()
    edit_wanted = Signal(str)
    update_wanted = Signal(str)
    """Deploy the file at this path again."""

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        self.file = make_text("")
        self.edit = make_button(self.tr("Open the file"))
        self.update_button = make_button(self.tr("Deploy it again…"))
        self.watching = QCheckBox(self.tr("Deploy again whenever the &file is saved"))
        self.tags = make_text("")
        self.put_away = make_button(self.tr("Put away…"))
        self.forget = make_button(self.tr("Remove with its history…"), importance="risky")
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, Space.MEDIUM, 0, 0)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.tr("Script"), Type.STRONG))
        layout.addWidget(self.file)
        layout.addLayout(_row(self.edit, self.update_button))
        layout.addWidget(self.watching)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(make_heading(self.tr("Tags"), Type.STRONG))
        layout.addWidget(self.tags)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(make_heading(self.tr("When you no longer need it"), Type.STRONG))
        words = self.tr(
            "Put away, nothing of it runs and its history stays; deploying it again brings it back. "
            "Removed, it and its history are gone. Your file stays in both cases."
        )
        layout.addWidget(make_text(words, "muted"))
        layout.addLayout(_row(self.put_away, self.forget))
        layout.addStretch(1)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(inner)
        self.watching.clicked.connect(self.watch)
        self.put_away.clicked.connect(self.archive)
        self.forget.clicked.connect(self.remove)
        self.edit.clicked.connect(lambda: self.edit_wanted.emit(self._path))
        self.update_button.clicked.connect(lambda: self.update_wanted.emit(self._path))

    def show_facts(self, facts: WorkflowFacts) -> None:
        self._path = facts.details.path
        self.file.setText(reveal(self._path))
        exists = Path(self._path).exists()
        self.edit.setEnabled(exists)
        self.update_button.setEnabled(exists)
        self.watching.setChecked(facts.details.watching)
        none = self.tr("None. A script gives its workflow tags: Workflow(…, tags=[…]).")
        self.tags.setText(", ".join(facts.details.tags) or none)
        self.put_away.setEnabled(facts.details.state is not WorkflowState.ARCHIVED)


def _row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(Space.SMALL)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row
