"""The permissions of a workflow; each can be allowed and revoked."""

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QVBoxLayout, QWidget

from app.theme.icons import make_glyph_icon
from app.theme.tokens import Space, Tone, colours_of
from app.widgets.details_view import make_label
from app.window.feedback import make_button
from app.window.new_workflow.deploy_check import UsedTool
from app.window.workflows.list_view import make_text_list
from app.window.workflows.workflow_data import WorkflowData

_USE = Qt.ItemDataRole.UserRole


class PermissionsTab(QWidget):
    allow = Signal(str, str)
    """Connection and tool."""
    revoke = Signal(str, str)
    connect_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[UsedTool, ...] | None = None
        self.words = make_label("", "muted")
        self.missing = make_label("", Tone.ATTENTION.value)
        self.connect_button = make_button(self.tr("Connect…"))
        self.list = make_text_list(self.tr("What it may use"))
        self.always_allowed = make_label("")
        self.allow_button = make_button(self.tr("Allow"), importance="primary")
        self.revoke_button = make_button(self.tr("Revoke"), importance="risky")
        first = QHBoxLayout()
        first.addWidget(self.missing, 1)
        first.addWidget(self.connect_button)
        row = QHBoxLayout()
        row.setSpacing(Space.SMALL)
        row.addWidget(self.allow_button)
        row.addWidget(self.revoke_button)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, Space.MEDIUM, 0, 0)
        layout.setSpacing(Space.MEDIUM)
        layout.addWidget(self.words)
        layout.addLayout(first)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.always_allowed)
        layout.addLayout(row)
        layout.addStretch(0)  # takes the space while the list is hidden
        self.list.currentRowChanged.connect(lambda _: self._show_buttons())
        self.allow_button.clicked.connect(lambda: self._emit(self.allow))
        self.revoke_button.clicked.connect(lambda: self._emit(self.revoke))
        self.connect_button.clicked.connect(
            lambda: self.connect_requested.emit(self._missing[0] if self._missing else "")
        )
        self._missing: tuple[str, ...] = ()

    def show_data(self, facts: WorkflowData) -> None:
        self._missing = facts.missing
        self.missing.setText(self.tr("Not connected yet: {names}.").format(names=", ".join(facts.missing)))
        self.missing.setVisible(bool(facts.missing))
        self.connect_button.setVisible(bool(facts.missing))
        said = self.tr("It uses no connections.")
        if facts.uses:
            said = self.tr("What the script uses. It asks before it uses anything you have not allowed.")
        self.words.setText(said)
        always = self.tr("Always allowed: {names}. Revoke the permission to be asked again.")
        self.always_allowed.setText(always.format(names=", ".join(facts.always_allowed)))
        self.always_allowed.setVisible(bool(facts.always_allowed))
        if facts.uses != self._shown:
            self._shown = facts.uses
            place = max(self.list.currentRow(), 0)
            self.list.clear()
            for use in facts.uses:
                words = use.words if use.is_allowed else self.tr("{words} (not allowed yet)").format(words=use.words)
                item = QListWidgetItem(words)
                item.setIcon(make_glyph_icon("done" if use.is_allowed else "coming", colours_of(self).muted))
                said = self.tr("{words}, allowed").format(words=use.words) if use.is_allowed else words
                item.setData(Qt.ItemDataRole.AccessibleTextRole, said)
                item.setData(_USE, use)
                self.list.addItem(item)
            self.list.setCurrentRow(min(place, self.list.count() - 1))
        self.list.setVisible(bool(facts.uses))
        self._show_buttons()

    def _show_buttons(self) -> None:
        item = self.list.currentItem()
        use: UsedTool | None = None if item is None else item.data(_USE)
        self.allow_button.setVisible(bool(self._shown))
        self.revoke_button.setVisible(bool(self._shown))
        self.allow_button.setEnabled(use is not None and not use.is_allowed)
        self.revoke_button.setEnabled(use is not None and use.is_allowed)

    def _emit(self, signal: SignalInstance) -> None:
        item = self.list.currentItem()
        if item is not None:
            use: UsedTool = item.data(_USE)
            signal.emit(use.connection, use.tool)
