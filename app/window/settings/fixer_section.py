"""The part of the settings about who repairs scripts that fail. Nobody does until the choice is whole."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QFormLayout, QHBoxLayout, QLineEdit, QSpinBox, QVBoxLayout, QWidget

from app.asking import Asking, command
from app.life.installation import Installation
from app.look.dressing import indent
from app.look.theme import Space, Tone
from app.widgets.details_view import make_text
from app.window.saying import Saying, add_row, make_button
from app.window.settings_words import FIXERS, SENDS, USES, say
from scheduler.engine.fixing.choice import LIMITS, FixerChoice, FixerKind

_WIDTH = 360
_SMALL = 110


class FixerSection(QWidget):
    kept = Signal()
    """The choice was kept and is followed."""

    def __init__(self, installation: Installation, label_width: int) -> None:
        super().__init__()
        self._installation = installation
        self._asking = Asking(self)
        self._kept = FixerChoice()
        self._is_filling = False
        """The choice is not whole yet: what is kept elsewhere must not overwrite what is being typed."""
        self._wanted: dict[str, Any] | None = None
        """The last choice that was made here, until it is kept."""
        self.saying = Saying()
        self._make_controls()
        self._lay_out(label_width)
        self._connect()
        self.show_choice(self._kept)

    def _make_controls(self) -> None:
        self.kind, self.shows, self.applies = QComboBox(), QComboBox(), QComboBox()
        for box, words, name in (
            (self.kind, FIXERS, self.tr("Who repairs scripts that fail")),
            (self.shows, SENDS, self.tr("When a script that failed is sent")),
            (self.applies, USES, self.tr("When a repair is used")),
        ):
            box.setAccessibleName(name)
            box.setMaximumWidth(_WIDTH)
            for value, text in words.items():
                box.addItem(say(text), value)
        self.command, self.url, self.model, self.key = (QLineEdit() for _ in range(4))
        self.key.setEchoMode(QLineEdit.EchoMode.Password)
        for field, name, example in (
            (self.command, self.tr("Command"), "llm -m small"),
            (self.url, self.tr("Address of the server"), "http://localhost:11434/v1"),
            (self.model, self.tr("Model"), ""),
            (self.key, self.tr("Key of the server"), ""),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(example)
            field.setMaximumWidth(_WIDTH)
        self.forget = make_button(self.tr("Forget the key"))
        self.tokens, self.seconds = QSpinBox(), QSpinBox()
        for spin, limit, name in (
            (self.tokens, "tokens", self.tr("Tokens that one repair may cost")),
            (self.seconds, "seconds", self.tr("Seconds that one repair may take")),
        ):
            spin.setRange(*LIMITS[limit])
            spin.setAccessibleName(name)
            spin.setMaximumWidth(_SMALL)
            spin.setKeyboardTracking(False)
            indent(spin)
        self.tokens.setSingleStep(1_000)
        self.seconds.setSingleStep(10)

    def _lay_out(self, label_width: int) -> None:
        self._form = QFormLayout()
        self._form.setHorizontalSpacing(Space.LARGE)
        self._form.setVerticalSpacing(Space.SMALL)
        self._keys = QWidget()
        row = QHBoxLayout(self._keys)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Space.SMALL)
        row.addWidget(self.key, 1)
        self._keys.setFocusProxy(self.key)
        row.addWidget(self.forget)
        row.addStretch(1)
        for words, widget in (
            (self.tr("Scripts that &fail are repaired by"), self.kind),
            (self.tr("&Command"), self.command),
            (self.tr("Add&ress of the server"), self.url),
            (self.tr("&Model"), self.model),
            (self.tr("Ke&y, if it needs one"), self._keys),
            (self.tr("&Tokens for one repair, at most"), self.tokens),
            (self.tr("Seconds for one repair, at most"), self.seconds),
            (self.tr("A script that failed is sent"), self.shows),
            (self.tr("A re&pair is used"), self.applies),
        ):
            add_row(self._form, words, widget)
            self._form.labelForField(widget).setMinimumWidth(label_width)
        self.note = make_text(
            self.tr(
                "A script that fails is sent there with its error, the end of its log and what it worked on, without "
                "passwords and without the words of mails. Attention shows what is sent. A repair may not change "
                "what a workflow is allowed to do, or when it asks you."
            ),
            "muted",
        )
        parts = QVBoxLayout(self)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(Space.SMALL)
        parts.addLayout(self._form)
        parts.addWidget(self.note)
        parts.addWidget(self.saying)

    def _connect(self) -> None:
        for box in (self.kind, self.shows, self.applies):
            box.activated.connect(self._choose)
        for field in (self.command, self.url, self.model):
            field.editingFinished.connect(self._choose)
        for spin in (self.tokens, self.seconds):
            spin.valueChanged.connect(self._choose)
        self.key.editingFinished.connect(self._keep_key)
        self.forget.clicked.connect(lambda: self._keep("key", secrets={"key": ""}))

    def show_choice(self, choice: FixerChoice) -> None:
        """As it is kept; what the person is typing stays."""
        self._kept = choice
        if self._is_filling or self._wanted is not None:
            return
        for box, value in ((self.kind, choice.kind), (self.shows, choice.shows), (self.applies, choice.applies)):
            box.setCurrentIndex(max(box.findData(value), 0))
        for field, text in ((self.command, choice.command), (self.url, choice.url), (self.model, choice.model)):
            if not field.hasFocus():
                field.setText(text)
        for spin, number in ((self.tokens, choice.tokens), (self.seconds, choice.seconds)):
            with QSignalBlocker(spin):
                spin.setValue(number)
        self._offer()

    def chosen(self) -> FixerChoice:
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

    def _offer(self) -> None:
        """Only what belongs to the choice."""
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
        self.forget.setVisible(self._kept.has_key)
        self.key.setPlaceholderText(self.tr("Kept in the keyring") if self._kept.has_key else "")

    def _choose(self) -> None:
        chosen = self.chosen()
        self._offer()
        self._is_filling = chosen.kind is not FixerKind.OFF and not chosen.is_on
        if self._is_filling:
            chosen = replace(chosen, kind=FixerKind.OFF)
            missing = self.tr("Nobody repairs scripts until the fields above are filled in.")
            self.saying.say(missing, Tone.ATTENTION)
        if chosen != self._kept:
            written = chosen.write()
            del written["has_key"]
            self._wanted = written
            self._keep("choice", settings=written)

    def _keep_key(self) -> None:
        if key := self.key.text().strip():
            self.key.clear()
            self._keep("key", secrets={"key": key})

    def _keep(self, subject: str, **given: object) -> None:
        installation = self._installation
        refuse = self._refuse if subject == "choice" else self.saying.refuse
        self._asking.ask_latest(subject, lambda: command(installation, "fixer", **given), self._take, refuse)

    def _take(self, answer: dict[str, Any]) -> None:
        if self._wanted is not None and self._wanted.items() <= answer.items():
            self._wanted = None
        if not self._is_filling and self._wanted is None:
            self.saying.clear()
        self.kept.emit()

    def _refuse(self, error: Exception) -> None:
        """It is not as it is shown, so the next look does not show what is kept either until it is put right."""
        self._is_filling, self._wanted = True, None
        self.saying.refuse(error)
