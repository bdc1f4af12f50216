"""The list of connections: rows, model and delegate."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QCoreApplication, QModelIndex, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from app.i18n.connector_labels import translate_connector_text
from app.i18n.time_text import format_number
from app.i18n.translate import translate_text
from app.session import Session
from app.theme.tokens import Space, TextStyle, Tone, colours_of, make_font
from app.widgets.status_chip import chip_size, paint_chip
from app.widgets.status_signs import StatusSign
from app.widgets.visible_text import escape_invisible
from app.window.workflows.list_model import Index
from app.window.workflows.list_view import paint_background
from scheduler.connections.connector import Connector
from scheduler.connections.errors import ConnectionRuleError
from scheduler.engine.queries.connections import ConnectionView

ROW = Qt.ItemDataRole.UserRole
translate = QCoreApplication.translate
_CHIP_COLUMN_PX = 150
_MAX_NAMES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionListRow:
    view: ConnectionView
    kind: str
    """The connector's title."""
    has_fields: bool
    users: tuple[str, ...]
    """Names of the workflows that use it."""

    @property
    def name(self) -> str:
        return self.view.connection

    @property
    def title(self) -> str:
        """The name without its kind."""
        return self.name.partition(":")[2] or self.name

    @property
    def is_ready(self) -> bool:
        """Connected without known trouble; a connector without fields needs no connecting."""
        return self.view.trouble is None and (self.view.is_connected or not self.has_fields)

    @property
    def sign(self) -> StatusSign:
        if self.view.trouble is not None:
            return StatusSign(glyph="attention", word=translate("connections", "Reconnect"), tone=Tone.ATTENTION)
        if self.is_ready:
            return StatusSign(glyph="done", word=translate("connections", "Connected"), tone=Tone.GOOD)
        return StatusSign(glyph="coming", word=translate("connections", "Not connected yet"), tone=Tone.ATTENTION)

    @property
    def summary(self) -> str:
        if self.view.trouble is not None:
            return f"{self.kind} · {translate_text(self.view.trouble)}"
        if not self.users:
            return translate("connections", "{kind} · not used").format(kind=self.kind)
        if len(self.users) > _MAX_NAMES:
            used = translate("connections", "{kind} · used by {number} workflows")
            return used.format(kind=self.kind, number=format_number(len(self.users)))
        return translate("connections", "{kind} · used by {users}").format(kind=self.kind, users=", ".join(self.users))


def find_connector(session: Session, name: str) -> Connector | None:
    try:
        return session.registry.connector_of(name)
    except ConnectionRuleError:
        return None


def read_connections(session: Session) -> list[ConnectionListRow]:
    """Never in the GUI thread."""
    names = session.queries.names()
    rows = []
    for view in session.queries.connections():
        connector = find_connector(session, view.connection)
        rows.append(
            ConnectionListRow(
                view=view,
                kind=view.connection if connector is None else translate_connector_text(connector.title),
                has_fields=connector is None or bool(connector.fields),
                users=tuple(names.get(slug, slug) for slug in view.used_by),
            )
        )
    return rows


class ConnectionsModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ConnectionListRow] = []

    @property
    def rows(self) -> Sequence[ConnectionListRow]:
        return self._rows

    def set_rows(self, rows: Sequence[ConnectionListRow]) -> None:
        if [one.name for one in rows] != [one.name for one in self._rows]:
            self.beginResetModel()
            self._rows = list(rows)
            self.endResetModel()
            return
        for place, (old, new) in enumerate(zip(self._rows, rows, strict=True)):
            if old != new:
                self._rows[place] = new
                self.dataChanged.emit(self.index(place), self.index(place))

    def find_row(self, name: str) -> int:
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
                return f"{row.title}. {row.sign.word}. {row.summary}"
            case _:
                return row if role == ROW else None


class ConnectionDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, _index: Index) -> QSize:  # noqa: N802  # Qt's name
        return QSize(200, 2 * QFontMetrics(option.font).height() + Space.TIGHT + 2 * Space.MEDIUM)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: ConnectionListRow = index.data(ROW)
        view, font = option.widget, option.font
        colours, area = colours_of(view), option.rect
        painter.save()
        paint_background(painter, option, colours)
        inner: QRect = area.adjusted(Space.LARGE, 0, -Space.LARGE, 0)
        caption, strong = make_font(TextStyle.CAPTION, font), make_font(TextStyle.STRONG, font)
        chip = chip_size(row.sign, caption)
        paint_chip(painter, QPoint(inner.left(), inner.center().y() - chip.height() // 2), row.sign, caption, colours)
        column = chip.width() + Space.MEDIUM
        if inner.width() > 3 * _CHIP_COLUMN_PX:
            column = max(column, _CHIP_COLUMN_PX)
        left, width = inner.left() + column, inner.width() - column
        metrics, elide = QFontMetrics(font), Qt.TextElideMode.ElideRight
        top = inner.center().y() - metrics.height() - Space.HAIR // 2
        painter.setFont(strong)
        painter.setPen(QColor(colours.text))
        name = QFontMetrics(strong).elidedText(escape_invisible(row.title), elide, width)
        painter.drawText(QRect(left, top, width, metrics.height()), 0, name)
        painter.setFont(font)
        painter.setPen(QColor(colours.muted))
        words = metrics.elidedText(escape_invisible(row.summary), elide, width)
        painter.drawText(QRect(left, top + metrics.height() + Space.HAIR, width, metrics.height()), 0, words)
        painter.restore()
