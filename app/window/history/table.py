"""The table of past runs: chips for results, columns that fit, one line per row."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from app.look.dressing import give_ground, mark
from app.look.theme import Space, Tone, Type, colours_of, make_font
from app.widgets.chip import make_chip_icons
from app.widgets.signs import sign_run
from app.window.history_model import Column, HistoryModel, Index
from app.window.history_rows import Row
from app.words.states import RunState
from app.words.times import say_span, say_time

_NAME_WIDTH, _NARROW_NAME_WIDTH = 170, 100


class Tips(QStyledItemDelegate):
    """Makes the words that a cell has no room for when one rests on it, and not before."""

    def helpEvent(  # noqa: N802  # Qt's name
        self, event: QHelpEvent, view: QAbstractItemView, _option: QStyleOptionViewItem, index: Index
    ) -> bool:
        model = view.model()
        if event.type() is not QEvent.Type.ToolTip or not isinstance(model, HistoryModel):
            return False
        QToolTip.showText(event.globalPos(), model.tip(index) if index.isValid() else "", view)
        return True


class HistoryTable(QTableView):
    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self._model = model
        self._is_dark: bool | None = None
        self.setItemDelegate(Tips(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setCornerButtonEnabled(False)
        self.setAccessibleName(self.tr("What ran and what did not"))
        mark(self, "surface", "card")
        self._dress()
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(QFontMetrics(self.font()).height() + Space.LARGE)
        heads = self.horizontalHeader()
        heads.setHighlightSections(False)
        heads.setSectionsClickable(False)
        heads.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        heads.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        heads.setSectionResizeMode(Column.WHAT, QHeaderView.ResizeMode.Stretch)
        metrics = QFontMetrics(self.font())
        self.setColumnWidth(Column.WHEN, _widest_time(metrics) + 2 * Space.SMALL)
        self.setColumnWidth(Column.RESULT, self.iconSize().width() + 2 * Space.SMALL)
        self.setColumnWidth(Column.WORKFLOW, _NAME_WIDTH)
        self.setColumnWidth(Column.TOOK, _widest_span(metrics) + 2 * Space.LARGE)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        give_ground(self)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._dress()
        elif event.type() is QEvent.Type.StyleChange:
            give_ground(self)

    def _dress(self) -> None:
        """A chosen row has the soft ground that it has in all our lists. Qt draws the text: thousands scroll by."""
        colours, palette = colours_of(self), QPalette(self.palette())
        ground = QColor(colours.tones[Tone.BUSY].soft)
        if palette.color(QPalette.ColorRole.Highlight) != ground:
            palette.setColor(QPalette.ColorRole.Highlight, ground)
            palette.setColor(QPalette.ColorRole.HighlightedText, QColor(colours.text))
            self.setPalette(palette)
        if self._is_dark is not colours.is_dark:
            self._is_dark = colours.is_dark
            signs = {state: sign_run(state) for state in RunState}
            chips = make_chip_icons(signs.values(), make_font(Type.CAPTION, self.font()), colours)
            self.setIconSize(chips[0].availableSizes()[0])
            self._model.dress(dict(zip(signs, chips, strict=True)))

    def be_narrow(self, *, on: bool) -> None:
        """With something beside it: what happened is worth more than how long it took."""
        self.setColumnHidden(Column.TOOK, on)
        self.setColumnWidth(Column.WORKFLOW, _NARROW_NAME_WIDTH if on else _NAME_WIDTH)

    def chosen(self) -> Row | None:
        index = self.currentIndex()
        return self._model.rows[index.row()] if index.isValid() else None


def _widest_time(metrics: QFontMetrics) -> int:
    """Of a week and a day of another year, in the person's language."""
    zone, now = ZoneInfo("UTC"), datetime(2026, 12, 30, tzinfo=UTC)
    days = (*range(7), 400)
    return max(metrics.horizontalAdvance(say_time(now - timedelta(days=day), zone, now)) for day in days)


def _widest_span(metrics: QFontMetrics) -> int:
    lengths = (timedelta(minutes=59, seconds=59), timedelta(hours=23, minutes=59), timedelta(days=99, hours=23))
    return max(metrics.horizontalAdvance(say_span(length)) for length in lengths)
