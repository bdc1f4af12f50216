"""Accounts and places that workflows use: how each stands, who uses it, and putting it right."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from PySide6.QtCore import QItemSelectionModel
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListView,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from app.asking import command
from app.life.installation import Installation
from app.look.dressing import lay_on_card, mark
from app.look.theme import Space, Tone, Type
from app.widgets.chip import Chip
from app.widgets.details import read_details
from app.widgets.details_view import DetailsView, make_text
from app.widgets.empty import EmptyPage
from app.widgets.flow import Flow
from app.widgets.question import confirm
from app.widgets.signs import sign_run
from app.widgets.stack import Stack
from app.window.connect_dialog import ConnectDialog, say_trouble, try_connection
from app.window.connections_model import (
    ROW,
    ConnectionDelegate,
    ConnectionRow,
    ConnectionsModel,
    find_connector,
    read_connections,
)
from app.window.frame import CardArea
from app.window.page import Page
from app.window.saying import Saying, make_button, make_heading
from app.words.connectors import say_connector
from app.words.interpreting import interpret
from app.words.states import RunState
from app.words.times import say_number, say_time

_MOST_USERS = 12


class ConnectionsPage(Page):
    def __init__(self, installation: Installation) -> None:
        super().__init__(installation)
        self.title = self.tr("Connections")
        self._wanted = ""
        self._shown: ConnectionRow | None = None
        self.model = ConnectionsModel(self)
        self.list = QListView()
        self.list.setModel(self.model)
        self.list.setItemDelegate(ConnectionDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(self.tr("Connections"))
        lay_on_card(self.list)
        self.saying = Saying()
        self.add = make_button(self.tr("New connection…"), "Ctrl+N", importance="primary")
        self.empty = EmptyPage(
            "connection",
            self.tr("No connections yet"),
            self.tr(
                "A connection is an account or a place on this computer that workflows may use, "
                "such as a folder or a table. Passwords stay in the keyring of your system."
            ),
            action=self.tr("New connection…"),
        )
        self._make_pane()
        self._lay_out()
        self.list.selectionModel().currentChanged.connect(lambda *_: self._show_chosen())
        self.list.activated.connect(lambda _: self._connect_chosen())
        self.list.pressed.connect(lambda _: self.saying.clear())
        self.model.dataChanged.connect(lambda *_: self._show_chosen())
        self.model.modelReset.connect(self._show_chosen)
        self.add.clicked.connect(lambda: self.connect_to(""))
        self.empty.acted.connect(lambda: self.connect_to(""))

    def refresh(self) -> None:
        installation = self.installation
        self.asking.ask_latest("rows", lambda: read_connections(installation), self._show, self.saying.refuse)

    def open_subject(self, subject: str) -> None:
        """A connection by its name; the form comes up if it has to be connected."""
        self._wanted, installation = subject, self.installation
        self.asking.ask(
            lambda: read_connections(installation), lambda rows: self._open(subject, rows), self.saying.refuse
        )

    def chosen(self) -> ConnectionRow | None:
        index = self.list.currentIndex()
        return index.data(ROW) if index.isValid() else None

    def connect_to(self, name: str, settings: dict[str, Any] | None = None) -> None:
        dialog = ConnectDialog(self.installation, name, settings, self)
        dialog.connected.connect(self._after_connect)
        dialog.open()

    def _make_pane(self) -> None:
        inner = QWidget()
        self.pane = CardArea(inner)
        self.name = make_heading("")
        self.chip = Chip(sign_run(RunState.COMING))
        self.words = make_text("", "muted")
        self.facts = QVBoxLayout()
        self.test = make_button(self.tr("Test"), "Ctrl+T")
        self.connect_button = make_button(self.tr("Connect…"), importance="primary")
        self.disconnect_button = make_button(self.tr("Disconnect…"), importance="risky")
        head = QHBoxLayout()
        head.addWidget(self.name, 1)
        head.addWidget(self.chip)
        row = Flow()
        for button in (self.connect_button, self.test, self.disconnect_button):
            row.addWidget(button)
        layout = QVBoxLayout(inner)
        layout.setContentsMargins(Space.LARGE, Space.LARGE, Space.LARGE, Space.LARGE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(head)
        layout.addWidget(self.words)
        layout.addLayout(row)
        layout.addLayout(self.facts)
        layout.addStretch(1)
        self.pane.hide()
        self.test.clicked.connect(self._test)
        self.connect_button.clicked.connect(self._connect_chosen)
        self.disconnect_button.clicked.connect(self._disconnect)

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.addWidget(make_heading(self.title, Type.DISPLAY))
        top.addStretch(1)
        top.addWidget(self.add)
        split = QSplitter()
        split.addWidget(self.list)
        split.addWidget(self.pane)
        split.setSizes([600, 440])
        split.setChildrenCollapsible(False)
        split.setHandleWidth(Space.MEDIUM)
        self.split = split
        self.body = Stack()
        for page in (QWidget(), split, self.empty):
            self.body.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(Space.WIDE, Space.WIDE, Space.WIDE, Space.WIDE)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(top)
        layout.addWidget(self.saying)
        layout.addWidget(self.body, 1)

    def _show(self, rows: list[ConnectionRow]) -> None:
        before = self.chosen()
        self.model.set_rows(rows)
        self.body.setCurrentWidget(self.split if rows else self.empty)
        self.add.setVisible(bool(rows))
        wanted, self._wanted = self._wanted or ("" if before is None else before.name), ""
        place = self.model.place_of(wanted)
        if place < 0 and rows and self.chosen() is None:
            place = 0
        if place >= 0 and place != self.list.currentIndex().row():
            index = self.model.index(place)
            self.list.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _open(self, subject: str, rows: list[ConnectionRow]) -> None:
        self._wanted = subject
        self._show(rows)
        chosen = self.chosen()
        if chosen is not None and chosen.name == subject and not chosen.is_ready:
            self._connect_chosen()

    def _show_chosen(self) -> None:
        row = self.chosen()
        if row == self._shown:
            return
        self._shown = row
        self.pane.setVisible(row is not None)
        if row is None:
            return
        self.name.setText(row.title)
        self.chip.set_sign(row.sign)
        self.words.setText(self._say(row))
        while (item := self.facts.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        connector = find_connector(self.installation, row.name)
        labels = {} if connector is None else {one.name: say_connector(one.label) for one in connector.fields}
        shown = {labels.get(key, key): value for key, value in row.view.settings.items() if value not in (None, "")}
        if row.view.created is not None:
            shown[self.tr("Connected since")] = self._say_when(row.view.created)
        shown[self.tr("Last used")] = self.tr("never") if row.view.used is None else self._say_when(row.view.used)
        shown |= {self.tr("Used by"): self._say_users(row.users), self.tr("In scripts"): row.name}
        self.facts.addWidget(DetailsView(read_details(shown)))
        lost, new = self.tr("Reconnect…"), self.tr("Connect…")
        self.connect_button.setText(self.tr("Change…") if row.is_ready else lost if row.view.trouble else new)
        self.connect_button.setVisible(row.has_fields)
        mark(self.connect_button, "importance", "" if row.is_ready else "primary")
        self.disconnect_button.setVisible(row.view.is_connected)
        self.test.setEnabled(row.view.is_connected or not row.has_fields)

    def _say_users(self, users: tuple[str, ...]) -> str:
        if not users:
            return self.tr("Nobody")
        more = len(users) - _MOST_USERS
        rest = (self.tr("and {number} more").format(number=say_number(more)),) if more > 0 else ()
        return ", ".join((*users[:_MOST_USERS], *rest))

    def _say(self, row: ConnectionRow) -> str:
        if row.view.trouble is not None:
            return interpret(row.view.trouble)
        if not row.view.is_connected and row.has_fields:
            return self.tr("Workflows want to use it, and nobody has connected it yet.")
        return row.kind

    def _say_when(self, at: datetime) -> str:
        context = self.installation.house.engine.context
        return say_time(at.replace(second=0, microsecond=0), ZoneInfo(context.machine_zone), context.clock.now())

    def _test(self) -> None:
        row = self.chosen()
        if row is None:
            return
        installation, name = self.installation, row.name
        self.saying.say(self.tr("Testing {name}…").format(name=row.title), Tone.QUIET)
        self.asking.ask(
            lambda: try_connection(installation, name),
            lambda sentence: self.saying.say(interpret(sentence), Tone.GOOD),
            lambda error: self.saying.say(say_trouble(error), Tone.BAD),
        )

    def _connect_chosen(self) -> None:
        row = self.chosen()
        if row is not None and row.has_fields and find_connector(self.installation, row.name) is not None:
            self.connect_to(row.name, dict(row.view.settings) if row.view.is_connected else None)

    def _disconnect(self) -> None:
        row = self.chosen()
        if row is not None and self._confirm(row):
            installation, name = self.installation, row.name
            self.asking.ask(
                lambda: command(installation, "disconnect", name=name),
                lambda answer: self._after_connect(name, interpret(str(answer["sentence"]))),
                self.saying.refuse,
            )

    def _confirm(self, row: ConnectionRow) -> bool:
        more = self.tr("What it points to stays as it is.")
        if row.users:
            used = self.tr("It is used by {names}.").format(names=self._say_users(row.users))
            more = f"{used} {more}"
        action, question = self.tr("Disconnect"), self.tr("Disconnect {name}?").format(name=row.title)
        return confirm(action, question, action, self, more)

    def _after_connect(self, name: str, sentence: str) -> None:
        self._wanted = name
        self.saying.say(sentence, Tone.GOOD)
        self.refresh()
