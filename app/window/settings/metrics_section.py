"""The monitoring section of the settings: whether, and in which folder, a file with metrics is written."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.background import BackgroundTasks
from app.data.metrics_file import FILE, find_trouble, to_folder
from app.data.preferences import Preferences
from app.theme.tokens import Space, Tone
from app.widgets.details_view import make_label
from app.widgets.file_dialog import choose_folder
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.feedback import StatusLine, make_button

_FIELD_WIDTH = 360


class MetricsSection(QWidget):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.box = WrappingCheckBox(self.tr("Write metrics to a file every minute"))
        self.folder = QLineEdit()
        self.folder.setAccessibleName(self.tr("Folder for monitoring"))
        self.folder.setPlaceholderText(self.tr("Choose a folder"))
        self.folder.setMaximumWidth(_FIELD_WIDTH)
        self.choose_button = make_button(self.tr("Choose f&older…"))
        self.status_line = StatusLine()
        self._background = BackgroundTasks(self)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(self.folder, 1)
        row.addWidget(self.choose_button)
        row.addStretch(1)
        note = self.tr(
            "For Prometheus and similar programs: {file} with the numbers of runs, failures and waiting requests, "
            "and the names of your workflows. Other users of this computer may be able to read it."
        )
        parts = QVBoxLayout(self)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(Space.SMALL)
        parts.addWidget(self.box)
        parts.addLayout(row)
        parts.addWidget(self.status_line)
        parts.addWidget(make_label(note.format(file=FILE), "muted"))
        self.box.clicked.connect(lambda on: self._switch(on=on))
        self.folder.editingFinished.connect(self.changed)
        self.folder.textEdited.connect(self.status_line.clear_error)
        self.changed.connect(self._check)
        self.choose_button.clicked.connect(self._choose)

    def show_choice(self, preferences: Preferences) -> None:
        self.box.setChecked(preferences.writes_metrics)
        if not self.folder.hasFocus():
            self.folder.setText(preferences.metrics_folder)
        self._enable_controls()
        self._check()

    def read(self) -> dict[str, Any]:
        """The chosen values, by the name of their preference."""
        return {"writes_metrics": self.box.isChecked(), "metrics_folder": self.chosen_folder()}

    def chosen_folder(self) -> str:
        return self.folder.text().strip()

    def _switch(self, *, on: bool) -> None:
        """Without a folder nothing can be written: ask for one at once."""
        if on and not self.chosen_folder():
            self._choose()
            self.box.setChecked(bool(self.chosen_folder()))
        self._enable_controls()
        self.changed.emit()

    def _choose(self) -> None:
        folder = choose_folder(self, self.tr("Folder for monitoring"), self.chosen_folder() or str(Path.home()))
        if folder:
            self.folder.setText(folder)
            self.changed.emit()

    def _check(self) -> None:
        """Say why the file cannot be written, if so."""
        folder = to_folder(self.chosen_folder()) if self.box.isChecked() else None
        self._background.run_latest(
            "check",
            lambda: "" if folder is None else find_trouble(folder),
            lambda trouble: self.status_line.show_message(trouble, Tone.BAD),
        )

    def _enable_controls(self) -> None:
        for widget in (self.folder, self.choose_button):
            widget.setEnabled(self.box.isChecked())
