"""Connections as rows of a list: what they are, how they stand, who uses them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.life.installation import Installation
from app.look.theme import Space, Tone, Type, colours_of, make_font
from app.widgets.chip import measure_chip, paint_chip
from app.widgets.plain import reveal
from app.widgets.signs import Sign
from app.window.workflows_list import paint_ground
from app.window.workflows_model import Index
from app.words.connectors import say_connector
from app.words.interpreting import interpret
from app.words.times import say_number
from scheduler.connections.connector import Connector
from scheduler.connections.errors import ConnectionRuleError
from scheduler.engine.workflows.views.connections import ConnectionView

ROW = Qt.ItemDataRole.UserRole
translate = QCoreApplication.translate
_CHIPS = 150
_NAMED = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionRow:
    view: ConnectionView
    kind: str
    """What it is, for people."""
    has_fields: bool
    users: tuple[str, ...]
    """The names of workflows."""

    @property
    def name(self) -> str:
        return self.view.connection

    @property
    def title(self) -> str:
        """What the person called it; its kind stands beside it."""
        return self.name.partition(":")[2] or self.name

    @property
    def is_ready(self) -> bool:
        """It works as far as anybody knows; what has nothing to fill in needs no connecting."""
        return self.view.trouble is None and (self.view.is_connected or not self.has_fields)

    @property
    def sign(self) -> Sign:
        if self.view.trouble is not None:
            return Sign(glyph="attention", word=translate("connections", "Reconnect"), tone=Tone.ATTENTION)
        if self.is_ready:
            return Sign(glyph="done", word=translate("connections", "Connected"), tone=Tone.GOOD)
        return Sign(glyph="coming", word=translate("connections", "Not connected"), tone=Tone.ATTENTION)

    @property
    def words(self) -> str:
        if self.view.trouble is not None:
            return f"{self.kind} · {interpret(self.view.trouble)}"
        if not self.users:
            return translate("connections", "{kind} · nobody uses it").format(kind=self.kind)
        if len(self.users) > _NAMED:
            used = translate("connections", "{kind} · used by {number} workflows")
            return used.format(kind=self.kind, number=say_number(len(self.users)))
        return translate("connections", "{kind} · used by {users}").format(kind=self.kind, users=", ".join(self.users))


def find_connector(installation: Installation, name: str) -> Connector | None:
    try:
        return installation.house.registry.connector(name.partition(":")[0])
    except ConnectionRuleError:
        return None


def read_connections(installation: Installation) -> list[ConnectionRow]:
    """Never in the GUI thread."""
    names = installation.views.names()
    rows = []
    for view in installation.views.connections():
        connector = find_connector(installation, view.connection)
        rows.append(
            ConnectionRow(
                view=view,
                kind=view.connection if connector is None else say_connector(connector.title),
                has_fields=connector is None or bool(connector.fields),
                users=tuple(names.get(slug, slug) for slug in view.used_by),
            )
        )
    return rows


class ConnectionsModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ConnectionRow] = []

    @property
    def rows(self) -> Sequence[ConnectionRow]:
        return self._rows

    def set_rows(self, rows: Sequence[ConnectionRow]) -> None:
        if [one.name for one in rows] != [one.name for one in self._rows]:
            self.beginResetModel()
            self._rows = list(rows)
            self.endResetModel()
            return
        for place, (old, new) in enumerate(zip(self._rows, rows, strict=True)):
            if old != new:
                self._rows[place] = new
                self.dataChanged.emit(self.index(place), self.index(place))

    def place_of(self, name: str) -> int:
        return next((place for place, one in enumerate(self._rows) if one.name == name), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008  # Qt's name and default
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.title
            case Qt.ItemDataRole.AccessibleTextRole:
                return f"{row.title}. {row.sign.word}. {row.words}"
            case _:
                return row if role == ROW else None


class ConnectionDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802  # Qt's name
        return QSize(200, 2 * QFontMetrics(option.font).height() + Space.TIGHT + 2 * Space.MEDIUM)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: ConnectionRow = index.data(ROW)
        view, font = option.widget, option.font
        colours, area = colours_of(view), option.rect
        painter.save()
        paint_ground(painter, option, colours)
        inner: QRect = area.adjusted(Space.LARGE, 0, -Space.LARGE, 0)
        caption, strong = make_font(Type.CAPTION, font), make_font(Type.STRONG, font)
        chip = measure_chip(row.sign, caption)
        paint_chip(painter, QPoint(inner.left(), inner.center().y() - chip.height() // 2), row.sign, caption, colours)
        column = _CHIPS if inner.width() > 3 * _CHIPS else chip.width() + Space.MEDIUM
        left, width = inner.left() + column, inner.width() - column
        metrics, elide = QFontMetrics(font), Qt.TextElideMode.ElideRight
        top = inner.center().y() - metrics.height() - Space.HAIR // 2
        painter.setFont(strong)
        painter.setPen(QColor(colours.text))
        name = QFontMetrics(strong).elidedText(reveal(row.title), elide, width)
        painter.drawText(QRect(left, top, width, metrics.height()), 0, name)
        painter.setFont(font)
        painter.setPen(QColor(colours.muted))
        words = metrics.elidedText(reveal(row.words), elide, width)
        painter.drawText(QRect(left, top + metrics.height() + Space.HAIR, width, metrics.height()), 0, words)
        painter.restore()
