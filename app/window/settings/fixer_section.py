"""The fixer section of the settings. The fixer stays off until its required fields are filled in."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from app.background import BackgroundTasks, run_command
from app.session import Session
from app.theme.stylesheet import indent_spin_box
from app.theme.tokens import Space, Tone, scale_to_text
from app.widgets.details_view import make_label
from app.window.feedback import StatusLine, add_row, make_button
from app.window.settings.labels import APPLY_CHOICES, FIXERS, SEND_CHOICES, label_text
from scheduler.engine.fixer_config import LIMITS, FixerConfig, FixerKind

_FIELD_WIDTH = 420
_MIN_BOX_CHARS = 16
_NUMBER_WIDTH = 110


class FixerSection(QWidget):
    saved = Signal()
    """The settings were saved and are in effect."""

    def __init__(self, session: Session, label_width: int) -> None:
        super().__init__()
        self._session = session
        self._background = BackgroundTasks(self)
        self._kept = FixerConfig()
        self._is_incomplete = False
        """Required fields are still empty: saved values must not overwrite what the user is typing."""
        self._unsaved: dict[str, Any] | None = None
        """The last settings chosen here, until they are saved."""
        self.status_line = StatusLine()
        self._make_controls()
        self._lay_out(label_width)
        self._connect()
        self.show_choice(self._kept)

    def _make_controls(self) -> None:
        self.kind, self.shows, self.applies = QComboBox(), QComboBox(), QComboBox()
        for box, words, name in (
            (self.kind, FIXERS, self.tr("Repair failing scripts with")),
            (self.shows, SEND_CHOICES, self.tr("Send a failing script")),
            (self.applies, APPLY_CHOICES, self.tr("Apply a repair")),
        ):
            box.setAccessibleName(name)
            box.setMaximumWidth(_FIELD_WIDTH)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(_MIN_BOX_CHARS)
            for value, text in words.items():
                box.addItem(label_text(text), value)
        self.command, self.url, self.model, self.key = (QLineEdit() for _ in range(4))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        for field, name, example in (
            (self.command, self.tr("Command"), "llm -m small"),
            (self.url, self.tr("Server address"), "http://localhost:11434/v1"),
            (self.model, self.tr("Model"), ""),
            (self.key, self.tr("API key"), ""),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(example)
            field.setMaximumWidth(_FIELD_WIDTH)
        self.delete_key_button = make_button(self.tr("Delete key"))
        self.tokens, self.seconds = QSpinBox(), QSpinBox()
        for spin, limit, name in (
            (self.tokens, "tokens", self.tr("Maximum tokens per repair")),
            (self.seconds, "seconds", self.tr("Maximum seconds per repair")),
        ):
            spin.setRange(*LIMITS[limit])
            spin.setAccessibleName(name)
            spin.setMaximumWidth(scale_to_text(_NUMBER_WIDTH, spin.font()))
            spin.setKeyboardTracking(False)
            indent_spin_box(spin)
        self.tokens.setSingleStep(1_000)
        self.seconds.setSingleStep(10)

    def _lay_out(self, label_width: int) -> None:
        self._form = QFormLayout()
        self._form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        self._form.setHorizontalSpacing(Space.LARGE)
        self._form.setVerticalSpacing(Space.SMALL)
        self._keys = QWidget()
        row = QHBoxLayout(self._keys)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.SMALL)
        row.addWidget(self.key, 1)
        self._keys.setFocusProxy(self.key)
        row.addWidget(self.delete_key_button)
        row.addStretch(1)
        for words, widget in (
            (self.tr("Repair &failing scripts with"), self.kind),
            (self.tr("&Command"), self.command),
            (self.tr("Server add&ress"), self.url),
            (self.tr("&Model"), self.model),
            (self.tr("API ke&y (optional)"), self._keys),
            (self.tr("Maximum &tokens per repair"), self.tokens),
            (self.tr("Maximum seconds per repair"), self.seconds),
            (self.tr("Send a failing script"), self.shows),
            (self.tr("Apply a re&pair"), self.applies),
        ):
            add_row(self._form, words, widget)
            self._form.labelForField(widget).setMinimumWidth(label_width)
        self.note = make_label(
            self.tr(
                "A failing script is sent with its error, the end of its log and the data it was working on, without "
                "passwords or mail text. Attention shows what is sent. A repair cannot change what a workflow is "
                "allowed to do, or when it asks you."
            ),
            "muted",
        )
        parts = QVBoxLayout(self)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(Space.SMALL)
        parts.addLayout(self._form)
        parts.addWidget(self.note)
        parts.addWidget(self.status_line)

    def _connect(self) -> None:
        for box in (self.kind, self.shows, self.applies):
            box.activated.connect(self._choose)
        for field in (self.command, self.url, self.model):
            field.editingFinished.connect(self._choose)
        for spin in (self.tokens, self.seconds):
            spin.valueChanged.connect(self._choose)
        self.key.editingFinished.connect(self._save_key)
        for field in (self.command, self.url, self.model, self.key):
            field.textEdited.connect(self.status_line.clear_error)
        self.delete_key_button.clicked.connect(lambda: self._save("key", secrets={"key": ""}))

    def show_choice(self, choice: FixerConfig) -> None:
        """Show the saved settings, but keep what the user is typing."""
        self._kept = choice
        if self._is_incomplete or self._unsaved is not None:
            return
        for box, value in ((self.kind, choice.kind), (self.shows, choice.shows), (self.applies, choice.applies)):
            box.setCurrentIndex(max(box.findData(value), 0))
        for field, text in ((self.command, choice.command), (self.url, choice.url), (self.model, choice.model)):
            if not field.hasFocus():
                field.setText(text)
        for spin, number in ((self.tokens, choice.tokens), (self.seconds, choice.seconds)):
            with QSignalBlocker(spin):
                spin.setValue(number)
        self._show_fields()

    def read_controls(self) -> FixerConfig:
        return replace(
            self._kept,
            kind=FixerKind(self.kind.currentData()),
            command=self.command.text().strip(),
            url=self.url.text().strip(),
            model=self.model.text().strip(),
            tokens=self.tokens.value(),
            seconds=self.seconds.value(),
            shows=bool(self.shows.currentData()),
            applies=bool(self.applies.currentData()),
        )

    def _show_fields(self) -> None:
        """Show only the fields that the chosen kind needs."""
        kind = FixerKind(self.kind.currentData())
        is_server, is_any = kind is FixerKind.SERVER, kind is not FixerKind.OFF
        for field, wanted in (
            (self.command, kind is FixerKind.COMMAND),
            (self.url, is_server),
            (self.model, is_server),
            (self._keys, is_server),
            (self.tokens, is_server),
            (self.seconds, is_any),
            (self.shows, is_any),
            (self.applies, is_any),
        ):
            self._form.setRowVisible(field, wanted)
        self.note.setVisible(is_any)
        self.delete_key_button.setVisible(self._kept.has_key)
        self.key.setPlaceholderText(self.tr("Stored in the keyring") if self._kept.has_key else "")

    def _choose(self) -> None:
        chosen = self.read_controls()
        self._show_fields()
        self._is_incomplete = chosen.kind is not FixerKind.OFF and not chosen.is_on
        if self._is_incomplete:
            chosen = replace(chosen, kind=FixerKind.OFF)
            missing = self.tr("Repairs stay off until the fields above are filled in.")
            self.status_line.show_message(missing, Tone.ATTENTION)
        if chosen != self._kept:
            written = chosen.write()
            del written["has_key"]
            self._unsaved = written
            self._save("choice", settings=written)

    def _save_key(self) -> None:
        if key := self.key.text().strip():
            self.key.clear()
            self._save("key", secrets={"key": key})

    def _save(self, subject: str, **given: object) -> None:
        session = self._session
        refuse = self._refuse if subject == "choice" else self.status_line.show_error
        self._background.run_latest(subject, lambda: run_command(session, "fixer", **given), self._show_saved, refuse)

    def _show_saved(self, answer: dict[str, Any]) -> None:
        if self._unsaved is not None and self._unsaved.items() <= answer.items():
            self._unsaved = None
        if not self._is_incomplete and self._unsaved is None:
            self.status_line.clear()
        self.saved.emit()

    def _refuse(self, error: Exception) -> None:
        """The saved settings differ from the ones shown: keep showing these until the user corrects them."""
        self._is_incomplete, self._unsaved = True, None
        self.status_line.show_error(error)
