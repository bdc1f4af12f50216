"""The settings of one workflow: its script file, tags, archiving and removing."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.theme.tokens import Space, TextStyle
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.visible_text import escape_invisible
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.feedback import make_button, make_heading
from app.window.workflows.workflow_data import WorkflowData
from scheduler.rules.workflow_state import WorkflowState


class WorkflowSettingsTab(QScrollArea):
    watch = Signal(bool)
    archive = Signal()
    remove = Signal()
    edit_requested = Signal(str)
    update_requested = Signal(str)
    """Path of the file to deploy again."""

    def __init__(self) -> None:
        super().__init__()
        self._path = ""
        self.file = make_label("")
        self.change = make_label(
            self.tr(
                "The file has other contents than the version in use. Update… shows them, or why they cannot be used."
            ),
            "attention",
        )
        self.edit = make_button(self.tr("Open file"))
        self.update_button = make_button(self.tr("Update…"))
        self.watch_box = WrappingCheckBox(self.tr("Update whenever the &file is saved"))
        self.tags = make_label("")
        self.archive_button = make_button(self.tr("Archive…"))
        self.remove_button = make_button(self.tr("Remove with history…"), importance="risky")
        inner = QWidget()
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(0, Space.MEDIUM, 0, 0)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(make_heading(self.tr("Script"), TextStyle.STRONG))
        layout.addWidget(self.file)
        layout.addWidget(self.change)
        layout.addLayout(_make_row(self.edit, self.update_button))
        layout.addWidget(self.watch_box)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(make_heading(self.tr("Tags"), TextStyle.STRONG))
        layout.addWidget(self.tags)
        layout.addSpacing(Space.SMALL)
        layout.addWidget(make_heading(self.tr("When you no longer need it"), TextStyle.STRONG))
        words = self.tr(
            "Archiving stops the workflow and keeps its history; add it again to bring it back. Removing deletes "
            "the workflow and its history. Your script file is kept in both cases."
        )
        layout.addWidget(make_label(words, "muted"))
        layout.addLayout(_make_row(self.archive_button, self.remove_button))
        layout.addStretch(1)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(inner)
        self.watch_box.clicked.connect(self.watch)
        self.archive_button.clicked.connect(self.archive)
        self.remove_button.clicked.connect(self.remove)
        self.edit.clicked.connect(lambda: self.edit_requested.emit(self._path))
        self.update_button.clicked.connect(lambda: self.update_requested.emit(self._path))

    def show_data(self, facts: WorkflowData) -> None:
        self._path = facts.details.path
        self.file.setText(escape_invisible(self._path))
        self.change.setVisible(facts.is_file_changed)
        exists = Path(self._path).exists()
        self.edit.setEnabled(exists)
        self.update_button.setEnabled(exists)
        self.watch_box.setChecked(facts.details.watching)
        none = self.tr("None. Tags are set in the script: Workflow(…, tags=[…]).")
        self.tags.setText(", ".join(facts.details.tags) or none)
        self.archive_button.setEnabled(facts.details.state is not WorkflowState.ARCHIVED)


def _make_row(*widgets: QWidget) -> FlowLayout:
    row = FlowLayout()
    for widget in widgets:
        row.addWidget(widget)
    return row
