"""Deploying a script: what it is, when it runs, what it may use; the person allows each thing or not."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QSizePolicy,
    QWidget,
)

from app.asking import Asking
from app.life.installation import Installation
from app.look.dressing import lay_on_card, mark
from app.look.theme import Tone, Type, colours_of
from app.resources import find_resource
from app.widgets.details_view import make_text
from app.widgets.plain import reveal
from app.window.deploy_offer import Offer, Use, deploy, look_at_script
from app.window.dialog import Dialog
from app.window.saying import Saying, make_button, make_heading
from app.window.try_dialog import TryDialog
from app.words.interpreting import interpret
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.validation import NotValidError
from scheduler.timing.errors import BadScheduleError

_USE = Qt.ItemDataRole.UserRole


class DeployDialog(Dialog):
    deployed = Signal(str, str)
    """Slug and a sentence."""

    def __init__(
        self, installation: Installation, path: Path, parent: QWidget | None = None, *, is_ours: bool = False
    ) -> None:
        """What comes from a template of ours is proposed with all that it uses, and paused until one has looked."""
        super().__init__(600, parent)
        self.entitle(self.tr("Deploy a script"), path.name)
        self._installation, self._path, self._is_ours = installation, path, is_ours
        self._asking = Asking(self)
        self.offer: Offer | None = None
        self.description, self.times = make_text("", "muted"), make_text("")
        self.description.hide()
        self.times.hide()
        self.uses = QListWidget()
        self.uses.setAccessibleName(self.tr("What it may use"))
        self.uses.setFrameShape(QFrame.Shape.NoFrame)
        lay_on_card(self.uses)
        self.uses.setWordWrap(True)
        self.uses.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.uses.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.uses.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.uses.setStyleSheet(_dress_checks(self))
        self.uses.hide()
        self.uses_title = make_heading("", Type.STRONG)
        self.missing = make_text("", Tone.ATTENTION.value)
        self.missing.hide()
        self.paused = QCheckBox(self.tr("Start it &paused"))
        self.paused.setChecked(is_ours)
        self.watch = QCheckBox(self.tr("Deploy again whenever the &file is saved"))
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("The script is being checked"))
        self.saying = Saying()
        self.again = make_button(self.tr("Check again"))
        self.try_button = make_button(self.tr("Try it…"), "Ctrl+T")
        self.cancel = make_button(self.tr("Cancel"))
        self.accept_button = make_button(self.tr("Deploy"), "Ctrl+Return", importance="primary")
        self._lay_out()
        self.again.clicked.connect(self.check)
        self.try_button.clicked.connect(self.try_it)
        self.cancel.clicked.connect(self.reject)
        self.accept_button.clicked.connect(lambda: self._deploy(replace=False))
        self._replaces = False
        self.check()

    def check(self) -> None:
        """Look at the file as it is now."""
        self._show_busy(self.tr("Checking {file}…").format(file=self._path.name))
        installation, path = self._installation, self._path
        self._asking.ask(lambda: look_at_script(installation, path), self._show, self._refuse)

    def try_it(self) -> None:
        """Before anything is deployed: what it would do is shown."""
        name = "" if self.offer is None else self.offer.name
        TryDialog(self._installation, self._path, name=name, parent=self).open()

    def allowed(self) -> list[Use]:
        items = [self.uses.item(place) for place in range(self.uses.count())]
        return [item.data(_USE) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _lay_out(self) -> None:
        for part in (
            self.description,
            self.times,
            self.uses_title,
            self.uses,
            self.missing,
            self.saying,
            self.paused,
            self.watch,
            self.busy,
        ):
            self.parts.addWidget(part)
        self.parts.addStretch(1)
        self.conclude(self.again, self.try_button, others=[self.cancel], last=self.accept_button)

    def _show_busy(self, sentence: str) -> None:
        self.busy.show()
        self.saying.say(sentence, Tone.QUIET)
        for button in (self.again, self.try_button, self.accept_button):
            button.setEnabled(False)

    def _show(self, offer: Offer) -> None:
        self.offer = offer
        self._replaces = False
        self.busy.hide()
        self.saying.clear()
        for button in (self.again, self.try_button, self.accept_button):
            button.setEnabled(True)
        self.accept_button.setText(self.tr("Deploy the new version") if offer.is_update else self.tr("Deploy"))
        self.heading.setText(reveal(offer.name))
        self.description.setText(reveal(offer.description))
        self.description.setVisible(bool(offer.description))
        when = "; ".join(offer.times) or self.tr("Runs when something arrives.")
        self.times.setText(when)
        self.times.show()
        self.uses.clear()
        for use in offer.uses:
            item = QListWidgetItem(use.words)
            item.setData(_USE, use)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsSelectable)
            is_checked = use.is_allowed or self._is_ours
            item.setCheckState(Qt.CheckState.Checked if is_checked else Qt.CheckState.Unchecked)
            self.uses.addItem(item)
        asks = self.tr("Tick what it may do; it asks for the rest when it comes to that")
        self.uses_title.setText(asks if offer.uses else self.tr("It uses no connection."))
        self.uses.setVisible(bool(offer.uses))
        needs = self.tr("Not connected yet: {names}. Connect it on the Connections page, before or after.")
        self.missing.setText(needs.format(names=", ".join(offer.missing)))
        self.missing.setVisible(bool(offer.missing))
        self.paused.setVisible(not offer.is_update)
        self.watch.show()
        self.uses_title.show()
        self.uses.setCurrentRow(0)
        (self.uses if offer.uses else self.accept_button).setFocus()
        self.fit()

    def _refuse(self, error: Exception) -> None:
        self.busy.hide()
        self.again.setEnabled(True)
        is_bad = self.offer is None or isinstance(error, NotValidError)
        for choice in (self.paused, self.watch, self.uses_title, self.uses):
            choice.setVisible(choice.isVisibleTo(self) and not is_bad)
        for button in (self.try_button, self.accept_button):
            button.setEnabled(not is_bad)
        match error:
            case NotValidError():
                self.saying.say("\n".join(interpret(one) for one in error.sentences), Tone.BAD)
            case UnicodeDecodeError():
                self.saying.say(self.tr("{file} is not a text file.").format(file=self._path.name), Tone.BAD)
            case OSError():
                said = self.tr("{file} cannot be read: {why}.")
                self.saying.say(said.format(file=self._path.name, why=error.strerror or error), Tone.BAD)
            case BadScheduleError():
                self.saying.say(interpret(error.sentence), Tone.BAD)
            case RefusedError() if error.code == "exists":
                self._replaces = True
                self.accept_button.setText(self.tr("Replace it"))
                mark(self.accept_button, "importance", "risky")
                self.cancel.setDefault(True)
                self.saying.say(
                    self.tr(
                        "Another file is deployed under this name. Replace it, or give this one a name of its own."
                    ),
                    Tone.ATTENTION,
                )
            case _:
                self.saying.refuse(error)
        self.fit()

    def _deploy(self, *, replace: bool) -> None:
        offer, installation = self.offer, self._installation
        if offer is None:
            return
        allowed = self.allowed()
        wish = Wish(
            replace=replace or self._replaces,
            paused=self.paused.isChecked() and self.paused.isVisibleTo(self),
            watch=True if self.watch.isChecked() else None,
        )
        self._show_busy(self.tr("Deploying…"))
        self._asking.ask(lambda: deploy(installation, offer, wish, allowed), self._finish, self._refuse)

    def _finish(self, answer: dict[str, Any]) -> None:
        assert self.offer is not None
        said = self.tr("{name} is deployed (version {version}).")
        said = said.format(name=self.offer.name, version=answer["version"])
        self.accept()
        self.deployed.emit(answer["workflow"], said)
        self.deleteLater()


def _dress_checks(dialog: QWidget) -> str:
    """What is checked in a list looks as it does beside a label."""
    colours = colours_of(dialog)
    checked = find_resource(f"icons/controls/check-{'dark' if colours.is_dark else 'light'}.svg").as_posix()
    box = f"width: 14px; height: 14px; border: 1px solid {colours.edge}; border-radius: 4px;"
    return (
        "QListWidget::item { padding: 6px; }"
        f"QListWidget::item:selected {{ background: {colours.tones[Tone.BUSY].soft}; color: {colours.text}; }}"
        f"QListWidget::indicator {{ {box} background: {colours.surface}; }}"
        f"QListWidget::indicator:checked {{ background: {colours.accent}; image: url({checked}); }}"
    )
