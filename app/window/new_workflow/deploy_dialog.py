"""The dialog that adds or updates a workflow: what it is, when it runs, and what the user allows it to use."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QProgressBar,
    QSizePolicy,
    QWidget,
)

from app.background import BackgroundTasks
from app.i18n.translate import translate_text
from app.resources import find_resource
from app.session import Session
from app.theme.stylesheet import set_style, style_as_card
from app.theme.tokens import TextStyle, Tone, colours_of
from app.widgets.details_view import make_label
from app.widgets.visible_text import escape_invisible
from app.widgets.wrapping_check_box import WrappingCheckBox
from app.window.dialog import Dialog
from app.window.feedback import StatusLine, make_button, make_heading
from app.window.new_workflow.deploy_check import CheckedScript, UsedTool, check_script, deploy
from app.window.new_workflow.dry_run_dialog import DryRunDialog
from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.validation import InvalidScriptError
from scheduler.timing.errors import BadScheduleError

_USE = Qt.ItemDataRole.UserRole


class DeployDialog(Dialog):
    deployed = Signal(str, str)
    """Slug, and a message."""

    def __init__(self, session: Session, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(600, parent)
        self.set_titles(self.tr("Add a workflow"), path.name)
        self._session, self._path = session, path
        self._background = BackgroundTasks(self)
        self.checked_script: CheckedScript | None = None
        self.description, self.times = make_label("", "muted"), make_label("")
        self.description.hide()
        self.times.hide()
        self.permission_list = QListWidget()
        self.permission_list.setAccessibleName(self.tr("What it may use"))
        self.permission_list.setFrameShape(QFrame.Shape.NoFrame)
        style_as_card(self.permission_list)
        self.permission_list.setWordWrap(True)
        self.permission_list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.permission_list.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.permission_list.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.permission_list.setStyleSheet(make_checkbox_style(self))
        self.permission_list.hide()
        self.permission_title = make_heading("", TextStyle.STRONG)
        self.missing = make_label("", Tone.ATTENTION.value)
        self.missing.hide()
        self.warning = make_label("", Tone.ATTENTION.value)
        self.warning.hide()
        self.paused = WrappingCheckBox(self.tr("Start &paused"))
        self.watch = WrappingCheckBox(self.tr("Update whenever the &file is saved"))
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(self.tr("Checking the script"))
        self.status_line = StatusLine()
        self.check_button = make_button(self.tr("Check again"))
        self.test_run_button = make_button(self.tr("Test run…"), "Ctrl+T")
        self.cancel = make_button(self.tr("Cancel"))
        self.accept_button = make_button(self.tr("Add"), "Ctrl+Return", importance="primary")
        self._lay_out()
        self.check_button.clicked.connect(self.check)
        self.test_run_button.clicked.connect(self.open_test_run)
        self.cancel.clicked.connect(self.reject)
        self.accept_button.clicked.connect(lambda: self._deploy(replace=False))
        self._replaces = False
        self.check()

    def check(self) -> None:
        """Check the file as it is now."""
        self._show_busy(self.tr("Checking {file}…").format(file=self._path.name))
        session, path = self._session, self._path
        self._background.run(lambda: check_script(session, path), self._show, self._refuse)

    def open_test_run(self) -> None:
        """Show what the script would do, without deploying it."""
        name = "" if self.checked_script is None else self.checked_script.name
        DryRunDialog(self._session, self._path, name=name, parent=self).open()

    def allowed(self) -> list[UsedTool]:
        items = [self.permission_list.item(place) for place in range(self.permission_list.count())]
        return [item.data(_USE) for item in items if item.checkState() is Qt.CheckState.Checked]

    def _lay_out(self) -> None:
        for part in (
            self.description,
            self.times,
            self.permission_title,
            self.permission_list,
            self.missing,
            self.warning,
            self.status_line,
            self.paused,
            self.watch,
            self.busy,
        ):
            self.parts.addWidget(part)
        self.parts.addStretch(1)
        self.add_buttons(self.check_button, self.test_run_button, others=[self.cancel], last=self.accept_button)

    def _show_busy(self, sentence: str) -> None:
        self.busy.show()
        self.status_line.show_message(sentence, Tone.QUIET)
        self.cancel.setFocus()  # the other buttons are disabled
        for button in (self.check_button, self.test_run_button, self.accept_button):
            button.setEnabled(False)

    def _show(self, offer: CheckedScript) -> None:
        self.checked_script = offer
        self._replaces = False
        self.busy.hide()
        self.status_line.clear()
        for button in (self.check_button, self.test_run_button, self.accept_button):
            button.setEnabled(True)
        self.setWindowTitle(self.tr("Update workflow") if offer.is_update else self.tr("Add a workflow"))
        self.accept_button.setText(self.tr("Update") if offer.is_update else self.tr("Add"))
        self.heading.setText(escape_invisible(offer.name))
        self.description.setText(escape_invisible(offer.description))
        self.description.setVisible(bool(offer.description))
        when = " · ".join(offer.times) or self.tr("Runs when new data arrives.")
        self.times.setText(when)
        self.times.show()
        self.permission_list.clear()
        for use in offer.uses:
            item = QListWidgetItem(use.words)
            item.setData(_USE, use)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsUserCheckable | Qt.ItemFlag.ItemIsSelectable)
            item.setCheckState(Qt.CheckState.Checked if use.is_allowed else Qt.CheckState.Unchecked)
            self.permission_list.addItem(item)
        asks = self.tr("Allow now; it will ask for anything else when needed")
        self.permission_title.setText(asks if offer.uses else self.tr("It uses no connections."))
        self.permission_list.setVisible(bool(offer.uses))
        needs = self.tr("Not connected yet: {names}. You can connect it now or later.")
        if len(offer.missing) > 1:
            needs = self.tr("Not connected yet: {names}. You can connect them now or later.")
        self.missing.setText(needs.format(names=", ".join(offer.missing)))
        self.missing.setVisible(bool(offer.missing))
        self.warning.setText(offer.warning)
        self.warning.setVisible(bool(offer.warning))
        self.paused.setVisible(not offer.is_update)
        self.watch.show()
        self.permission_title.show()
        self.permission_list.setCurrentRow(0)
        (self.permission_list if offer.uses else self.accept_button).setFocus()
        self.fit()

    def _refuse(self, error: Exception) -> None:
        self.busy.hide()
        self.check_button.setEnabled(True)
        is_bad = self.checked_script is None or isinstance(error, InvalidScriptError)
        for choice in (self.paused, self.watch, self.permission_title, self.permission_list):
            choice.setVisible(choice.isVisibleTo(self) and not is_bad)
        for button in (self.test_run_button, self.accept_button):
            button.setEnabled(not is_bad)
        if is_bad:
            self.check_button.setFocus()
        match error:
            case InvalidScriptError():
                self.status_line.show_message("\n".join(translate_text(one) for one in error.sentences), Tone.BAD)
            case UnicodeDecodeError():
                self.status_line.show_message(
                    self.tr("{file} is not a text file.").format(file=self._path.name), Tone.BAD
                )
            case OSError():
                said = self.tr("{file} cannot be read: {why}.")
                self.status_line.show_message(said.format(file=self._path.name, why=error.strerror or error), Tone.BAD)
            case BadScheduleError():
                self.status_line.show_message(translate_text(error.sentence), Tone.BAD)
            case RefusedError() if error.code == "exists":
                self._replaces = True
                self.accept_button.setText(self.tr("Replace"))
                set_style(self.accept_button, "importance", "risky")
                self.cancel.setDefault(True)
                self.status_line.show_message(
                    self.tr("Another file already uses this name. Replace it, or rename this workflow."),
                    Tone.ATTENTION,
                )
            case _:
                self.status_line.show_error(error)
        self.fit()

    def _deploy(self, *, replace: bool) -> None:
        offer, session = self.checked_script, self._session
        if offer is None:
            return
        allowed = self.allowed()
        options = DeployOptions(
            replace=replace or self._replaces,
            paused=self.paused.isChecked() and self.paused.isVisibleTo(self),
            watch=True if self.watch.isChecked() else None,
        )
        self._show_busy(self.tr("Updating…") if offer.is_update else self.tr("Adding…"))
        self._background.run(lambda: deploy(session, offer, options, allowed), self._finish, self._refuse)

    def _finish(self, answer: dict[str, Any]) -> None:
        assert self.checked_script is not None
        said = self.tr("{name} added (version {version}).")
        if self.checked_script.is_update:
            said = self.tr("{name} updated to version {version}.")
        said = said.format(name=self.checked_script.name, version=answer["version"])
        self.accept()
        self.deployed.emit(answer["workflow"], said)
        self.deleteLater()


def make_checkbox_style(dialog: QWidget) -> str:
    """Check boxes in a list look like other check boxes."""
    colours = colours_of(dialog)
    checked = find_resource(f"icons/controls/check-{'dark' if colours.is_dark else 'light'}.svg").as_posix()
    box = f"width: 14px; height: 14px; border: 1px solid {colours.edge}; border-radius: 4px;"
    return (
        "QListWidget { outline: none; } QListWidget::item { padding: 6px; }"
        f"QListWidget::item:selected {{ background: {colours.tones[Tone.BUSY].soft}; color: {colours.text}; }}"
        f"QListWidget::indicator {{ {box} background: {colours.surface}; }}"
        f"QListWidget::indicator:checked {{ background: {colours.accent}; image: url({checked}); }}"
    )
