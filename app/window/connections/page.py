"""The Connections page: the list, and the chosen connection with its state, users and commands."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QListView,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.background import run_command
from app.i18n.connector_labels import label_choice, translate_connector_text
from app.i18n.state_labels import RunState
from app.i18n.time_text import format_day_and_time, format_number
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.stylesheet import set_style, style_as_card
from app.theme.tokens import Space, TextStyle, Tone, scale_to_text
from app.widgets.confirm_dialog import confirm
from app.widgets.details import make_sections
from app.widgets.details_view import DetailsView, make_label
from app.widgets.empty_state import EmptyState
from app.widgets.flow_layout import FlowLayout
from app.widgets.page_stack import PageStack
from app.widgets.status_chip import StatusChip
from app.widgets.status_signs import run_sign
from app.window.connections.connect_dialog import ConnectDialog, check_connection, describe_connection_error
from app.window.connections.model import (
    ROW,
    ConnectionDelegate,
    ConnectionListRow,
    ConnectionsModel,
    find_connector,
    read_connections,
)
from app.window.feedback import StatusLine, make_button, make_heading
from app.window.page import CardArea, Page

_MAX_USERS = 12
_STACKED_PX = 620
"""Below this width the details are below the list."""


class ConnectionsPage(Page):
    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.title = self.tr("Connections")
        self._wanted = ""
        self._shown: ConnectionListRow | None = None
        self.model = ConnectionsModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(ConnectionDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setAccessibleName(self.tr("Connections"))
        style_as_card(self.list)
        self.status_line = StatusLine()
        self.add = make_button(self.tr("New connection…"), "Ctrl+N", importance="primary")
        self.empty = EmptyState(
            "connection",
            self.tr("No connections yet"),
            self.tr(
                "A connection is an account, or a folder or table on this computer, that workflows can use. "
                "Passwords stay in your system's keyring."
            ),
            action=self.tr("New connection…"),
        )
        self._make_pane()
        self._lay_out()
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_chosen())
        self.list.activated.connect(lambda _: self._connect_chosen())
        self.list.pressed.connect(lambda _: self.status_line.clear())
        self.model.dataChanged.connect(lambda *_: self._show_chosen())
        self.model.modelReset.connect(self._show_chosen)
        self.add.clicked.connect(lambda: self.connect_to(""))
        self.empty.action_clicked.connect(lambda: self.connect_to(""))

    def refresh(self) -> None:
        session = self.session
        self.background.run_latest("rows", lambda: read_connections(session), self._show, self.status_line.show_error)

    def open_subject(self, subject: str) -> None:
        """Select this connection; open the dialog if it is not ready."""
        self._wanted, session = subject, self.session
        self.background.run(
            lambda: read_connections(session), lambda rows: self._open(subject, rows), self.status_line.show_error
        )

    def selected_row(self) -> ConnectionListRow | None:
        index = self.list.currentIndex()
        return index.data(ROW) if index.isValid() else None

    def connect_to(self, name: str, settings: dict[str, Any] | None = None) -> None:
        dialog = ConnectDialog(self.session, name, settings, self)
        dialog.connected.connect(self._after_connect)
        dialog.open()

    def _make_pane(self) -> None:
        inner = QWidget()
        self.pane = CardArea(inner)
        self.name = make_heading("")
        self.chip = StatusChip(run_sign(RunState.COMING))
        self.summary = make_label("", "muted")
        self.details_layout = QVBoxLayout()
        self.test = make_button(self.tr("Test"), "Ctrl+T")
        self.connect_button = make_button(self.tr("Connect…"), importance="primary")
        self.disconnect_button = make_button(self.tr("Disconnect…"), importance="risky")
        head = FlowLayout()
        head.add_expanding(self.name)
        head.addWidget(self.chip)
        row = FlowLayout()
        for button in (self.connect_button, self.test, self.disconnect_button):
            row.addWidget(button)
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(head)
        layout.addWidget(self.summary)
        layout.addLayout(row)
        layout.addLayout(self.details_layout)
        layout.addStretch(1)
        self.pane.hide()
        self.test.clicked.connect(self._test)
        self.connect_button.clicked.connect(self._connect_chosen)
        self.disconnect_button.clicked.connect(self._disconnect)

    def _lay_out(self) -> None:
        top = FlowLayout()
        top.add_expanding(make_heading(self.title, TextStyle.DISPLAY))
        top.addWidget(self.add)
        split = QSplitter()
        split.addWidget(self.list)
        split.addWidget(self.pane)
        split.setSizes([600, 440])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(Space.MEDIUM)
        self.split = split
        self.body = PageStack()
        for page in (QWidget(), split, self.empty):
            self.body.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self.status_line)
        layout.addWidget(self.body, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        is_stacked = self.width() < scale_to_text(_STACKED_PX, self.font())
        self.split.setOrientation(Qt.Orientation.Vertical if is_stacked else Qt.Orientation.Horizontal)

    def _show(self, rows: list[ConnectionListRow]) -> None:
        before = self.selected_row()
        self.model.set_rows(rows)
        self.body.setCurrentWidget(self.split if rows else self.empty)
        self.add.setVisible(bool(rows))
        wanted, self._wanted = self._wanted or ("" if before is None else before.name), ""
        place = self.model.find_row(wanted)
        if place < 0 and rows and self.selected_row() is None:
            place = 0
        if place >= 0 and place != self.list.currentIndex().row():
            index = self.model.index(place)
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _open(self, subject: str, rows: list[ConnectionListRow]) -> None:
        self._wanted = subject
        self._show(rows)
        chosen = self.selected_row()
        if chosen is not None and chosen.name == subject and not chosen.is_ready:
            self._connect_chosen()

    def _show_chosen(self) -> None:
        row = self.selected_row()
        if row == self._shown:
            return
        self._shown = row
        self.pane.setVisible(row is not None)
        if row is None:
            return
        self.name.setText(row.title)
        self.chip.set_sign(row.sign)
        self.summary.setText(self._describe(row))
        while (item := self.details_layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        connector = find_connector(self.session, row.name)
        labels = (
            {} if connector is None else {one.name: translate_connector_text(one.label) for one in connector.fields}
        )
        chosen = set() if connector is None else {one.name for one in connector.fields if one.choices}
        shown = {
            labels.get(key, key): label_choice(str(value)) if key in chosen else value
            for key, value in row.view.settings.items()
            if value not in (None, "")
        }
        if row.view.created is not None:
            shown[self.tr("Connected since")] = self._format_time(row.view.created)
        shown[self.tr("Last used")] = self.tr("never") if row.view.used is None else self._format_time(row.view.used)
        shown |= {self.tr("Used by"): self._format_users(row.users), self.tr("Name in scripts"): row.name}
        self.details_layout.addWidget(DetailsView(make_sections(shown)))
        reconnect, connect = self.tr("Reconnect…"), self.tr("Connect…")
        label = self.tr("Change…") if row.is_ready else reconnect if row.view.trouble else connect
        self.connect_button.setText(label)
        self.connect_button.setVisible(row.has_fields)
        set_style(self.connect_button, "importance", "" if row.is_ready else "primary")
        self.disconnect_button.setVisible(row.view.is_connected)
        self.test.setEnabled(row.view.is_connected or not row.has_fields)

    def _format_users(self, users: tuple[str, ...]) -> str:
        if not users:
            return self.tr("no workflow")
        more = len(users) - _MAX_USERS
        rest = (self.tr("and {number} more").format(number=format_number(more)),) if more > 0 else ()
        return ", ".join((*users[:_MAX_USERS], *rest))

    def _describe(self, row: ConnectionListRow) -> str:
        if row.view.trouble is not None:
            return translate_text(row.view.trouble)
        if not row.view.is_connected and row.has_fields:
            return self.tr("Needed by a workflow; not connected yet.")
        return row.kind

    def _format_time(self, at: datetime) -> str:
        zone, now = ZoneInfo(self.session.zone), self.session.now()
        return format_day_and_time(at.replace(second=0, microsecond=0), zone, now)

    def _test(self) -> None:
        row = self.selected_row()
        if row is None:
            return
        session, name = self.session, row.name
        self.status_line.show_message(self.tr("Testing {name}…").format(name=row.title), Tone.QUIET)
        self.background.run(
            lambda: check_connection(session, name),
            lambda sentence: self.status_line.show_message(translate_text(sentence), Tone.GOOD),
            lambda error: self.status_line.show_message(describe_connection_error(error), Tone.BAD),
        )

    def _connect_chosen(self) -> None:
        row = self.selected_row()
        if row is not None and row.has_fields and find_connector(self.session, row.name) is not None:
            self.connect_to(row.name, dict(row.view.settings) if row.view.is_connected else None)

    def _disconnect(self) -> None:
        row = self.selected_row()
        if row is not None and self._confirm(row):
            session, name = self.session, row.name
            self.background.run(
                lambda: run_command(session, "disconnect", name=name),
                lambda answer: self._after_connect(name, translate_text(str(answer["sentence"]))),
                self.status_line.show_error,
            )

    def _confirm(self, row: ConnectionListRow) -> bool:
        more = self.tr("Nothing at the other end is deleted.")
        if row.users:
            used = self.tr("It is used by {names}.").format(names=self._format_users(row.users))
            more = f"{used} {more}"
        action, question = self.tr("Disconnect"), self.tr("Disconnect {name}?").format(name=row.title)
        return confirm(action, question, action, self, more)

    def _after_connect(self, name: str, sentence: str) -> None:
        self._wanted = name
        self.status_line.show_message(sentence, Tone.GOOD)
        self.refresh()
