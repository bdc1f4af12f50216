"""The table view of the history: result chips, columns that fit, one line per row."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QEvent, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QPalette,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from app.i18n.state_labels import RunState
from app.i18n.time_text import format_day_and_time, format_duration
from app.theme.stylesheet import fill_viewport, set_style
from app.theme.tokens import Space, TextStyle, Tone, colours_of, make_font, scale_to_text
from app.widgets.status_chip import make_chip_icons
from app.widgets.status_signs import run_sign
from app.window.history.history_data import HistoryRow
from app.window.history.model import HistoryColumn, HistoryModel, Index

_MIN_NAME_WIDTH, _JOB_WIDTH = 80, 100
_NAME_SHARE = 0.4
"""Of the room for the name of the workflow and what happened, at most."""
_OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class _Tooltips(QStyledItemDelegate):
    """Builds a tooltip only when it is shown."""

    def helpEvent(  # noqa: N802  # Qt's name
        self, event: QHelpEvent, view: QAbstractItemView, _option: QStyleOptionViewItem, index: Index
    ) -> bool:
        model = view.model()
        if event.type() is not QEvent.Type.ToolTip or not isinstance(model, HistoryModel):
            return False
        QToolTip.showText(event.globalPos(), model.tooltip(index) if index.isValid() else "", view)
        return True


class HistoryTable(QTableView):
    row_opened = Signal()
    """The user clicked the current row, or pressed Return on it."""

    def __init__(self, model: HistoryModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self._model = model
        self._is_dark: bool | None = None
        self._is_narrow = False
        self._widest_name = 0
        self.setItemDelegate(_Tooltips(self))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setCornerButtonEnabled(False)
        self.setAccessibleName(self.tr("Runs, and times that did not run"))
        set_style(self, "surface", "card")
        self._apply_colours()
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(QFontMetrics(self.font()).height() + Space.LARGE)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(HistoryColumn.WHAT, QHeaderView.ResizeMode.Stretch)
        metrics = QFontMetrics(self.font())
        self.setColumnWidth(HistoryColumn.WHEN, _widest_time(metrics) + 2 * Space.SMALL)
        self.setColumnWidth(HistoryColumn.RESULT, self.iconSize().width() + 2 * Space.SMALL)
        self.setColumnWidth(HistoryColumn.JOB, scale_to_text(_JOB_WIDTH, self.font()))
        self.setColumnWidth(HistoryColumn.PLANNED, _widest_planned(metrics) + 2 * Space.SMALL)
        self.setColumnWidth(HistoryColumn.DURATION, _widest_span(metrics) + 2 * Space.LARGE)
        self.clicked.connect(self._open_clicked)
        model.rowsInserted.connect(self._join_columns)

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        fill_viewport(self)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._share_width()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._apply_colours()
        elif event.type() is QEvent.Type.StyleChange:
            fill_viewport(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in _OPEN_KEYS and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.row_opened.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802  # Qt's name
        rows = self.selected_rows()
        if not rows:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Copy"), QKeySequence(QKeySequence.StandardKey.Copy), self.copy)
        menu.addAction(self.tr("Copy run ID"), self.copy_ids).setEnabled(any(row.run for row in rows))
        menu.popup(event.globalPos())

    def copy(self) -> None:
        """Copy the selected rows, to paste into a spreadsheet or a mail."""
        QGuiApplication.clipboard().setText(self._model.copy_rows(self._selected_places()))

    def copy_ids(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(row.run for row in self.selected_rows() if row.run))

    def selected_rows(self) -> list[HistoryRow]:
        return [self._model.rows[place] for place in self._selected_places()]

    def select_run(self, run: str) -> None:
        """Select the row of a run and scroll to it; no row if it is not loaded."""
        place = self._model.find(run)
        if place < 0:
            self.clearSelection()
            self.setCurrentIndex(self._model.index(-1, -1))
        elif place != self.currentIndex().row():
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.selectionModel().setCurrentIndex(self._model.index(place, 0), flags)

    def _join_columns(self, _parent: Index, first: int, last: int) -> None:
        """A row that stands for several runs has one text across the columns."""
        for place in range(first, last + 1):
            if self._model.rows[place].quiet is not None:
                self.setSpan(place, HistoryColumn.WORKFLOW, 1, len(HistoryColumn) - HistoryColumn.WORKFLOW)

    def _selected_places(self) -> list[int]:
        return sorted(index.row() for index in self.selectionModel().selectedRows())

    def _open_clicked(self) -> None:
        """With Ctrl or Shift, a click only selects rows."""
        if not QGuiApplication.keyboardModifiers():
            self.row_opened.emit()

    def _apply_colours(self) -> None:
        """Use the selection colour of our lists through the palette: Qt itself paints the text, which is fast."""
        colours, palette = colours_of(self), QPalette(self.palette())
        ground = QColor(colours.tones[Tone.BUSY].soft)
        if palette.color(QPalette.ColorRole.Highlight) != ground:
            palette.setColor(QPalette.ColorRole.Highlight, ground)
            palette.setColor(QPalette.ColorRole.HighlightedText, QColor(colours.text))
            self.setPalette(palette)
        if self._is_dark is not colours.is_dark:
            self._is_dark = colours.is_dark
            signs = {state: run_sign(state) for state in RunState}
            chips = make_chip_icons(signs.values(), make_font(TextStyle.CAPTION, self.font()), colours)
            self.setIconSize(chips[0].availableSizes()[0])
            self._model.set_icons(dict(zip(signs, chips, strict=True)), QColor(colours.muted))

    def set_narrow(self, *, on: bool) -> None:
        """Hide what is in the details too, to leave room for what happened."""
        self._is_narrow = on
        self.setColumnHidden(HistoryColumn.DURATION, on)
        self.show_used_columns()

    def show_used_columns(self) -> None:
        """Show jobs and planned times only if a row has one: most workflows are one job, and most runs are on time."""
        has_job = any(row.job for row in self._model.rows)
        self.setColumnHidden(HistoryColumn.JOB, self._is_narrow or not has_job)
        has_planned = any(row.planned or row.asked for row in self._model.rows)
        self.setColumnHidden(HistoryColumn.PLANNED, self._is_narrow or not has_planned)
        names = {row.name for row in self._model.rows}
        self._widest_name = max(map(self.fontMetrics().horizontalAdvance, names), default=0)
        self._share_width()

    def _share_width(self) -> None:
        """The names get what they need, if that leaves enough for what happened."""
        shared = (HistoryColumn.WORKFLOW, HistoryColumn.WHAT)
        others = sum(
            self.columnWidth(one) for one in HistoryColumn if one not in shared and not self.isColumnHidden(one)
        )
        room = self.viewport().width() - others
        needed = max(self._widest_name + 2 * Space.MEDIUM, _MIN_NAME_WIDTH)
        self.setColumnWidth(HistoryColumn.WORKFLOW, max(min(needed, round(room * _NAME_SHARE)), _MIN_NAME_WIDTH))

    def selected_row(self) -> HistoryRow | None:
        index = self.currentIndex()
        return self._model.rows[index.row()] if index.isValid() else None


def _widest_time(metrics: QFontMetrics) -> int:
    """The widest of a week's times and one of another year, in the user's language."""
    zone, now = ZoneInfo("UTC"), datetime(2026, 12, 30, tzinfo=UTC)
    days = (*range(7), 400)
    return max(metrics.horizontalAdvance(format_day_and_time(now - timedelta(days=day), zone, now)) for day in days)


def _widest_planned(metrics: QFontMetrics) -> int:
    """Of times on the same day; a longer one is in the tooltip."""
    planned = QCoreApplication.translate("history", "for {time}").format(time="00:00:00")
    asked = QCoreApplication.translate("history", "asked {time}").format(time="00:00")
    heading = QCoreApplication.translate("history", "Originally")
    return max(map(metrics.horizontalAdvance, (planned, asked, heading)))


def _widest_span(metrics: QFontMetrics) -> int:
    lengths = (timedelta(minutes=59, seconds=59), timedelta(hours=23, minutes=59), timedelta(days=99, hours=23))
    return max(metrics.horizontalAdvance(format_duration(length)) for length in lengths)
