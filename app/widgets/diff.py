"""A diff of two texts, side by side or unified."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSplitter, QVBoxLayout, QWidget

from app.theme.stylesheet import set_style
from app.theme.tokens import Space, TextStyle, make_font
from app.widgets.diff_lines import (
    DiffRow,
    DiffSide,
    LineChange,
    compare_lines,
    count_changes,
    find_change_starts,
    unify,
)
from app.widgets.diff_pane import DiffLine, DiffPane
from app.widgets.flow_layout import FlowLayout
from app.widgets.visible_text import escape_invisible

_MIN_SIDE_BY_SIDE_WIDTH = 560
_MIN_HEIGHT = 200


class DiffView(QWidget):
    """Both panes scroll together; F7 and Shift+F7 move between changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[DiffRow] = []
        self._at = -1
        self._titles = QLabel(), QLabel()
        self._summary = QLabel()
        set_style(self._summary, "ink", "muted")
        self.old, self.new = DiffPane(self.tr("Before")), DiffPane(self.tr("After"))
        self.unified = DiffPane(self.tr("Before and after"))
        self.previous = self._make_button(self.tr("Previous change"), "Shift+F7")
        self.next = self._make_button(self.tr("Next change"), "F7")
        self.side_by_side = self._make_button(self.tr("Side by side"), "F8")
        self.side_by_side.setCheckable(True)
        self.side_by_side.setChecked(True)
        self.previous.clicked.connect(lambda: self._go_to_change(-1))
        self.next.clicked.connect(lambda: self._go_to_change(1))
        self.side_by_side.toggled.connect(lambda _: self._show_panes())
        self._link(self.old, self.new)
        self._panes = QSplitter(Qt.Orientation.Horizontal)
        self._columns = self._make_column(self._titles[0], self.old), self._make_column(self._titles[1], self.new)
        for column in self._columns:
            self._panes.addWidget(column)
        self._panes.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        self._bar = self._make_bar()
        layout.addWidget(self._bar)
        layout.addWidget(self._panes, 1)
        layout.addWidget(self.unified, 1)
        self.setMinimumHeight(_MIN_HEIGHT)
        self._show_panes()

    @property
    def rows(self) -> list[DiffRow]:
        return self._rows

    def set_texts(self, old: str, new: str, *, old_title: str = "", new_title: str = "") -> None:
        """Compare two texts. Hidden and direction-changing characters are escaped: users review scripts here."""
        self._rows = compare_lines(escape_invisible(old or new), escape_invisible(new))
        self._at = -1
        for label, title in zip(self._titles, (old_title, new_title), strict=True):
            label.setText(title)
            label.setVisible(bool(title))
        self._columns[0].setVisible(bool(old))  # the first version has nothing to compare with
        added, removed = count_changes(self._rows)
        if not old:
            number = len(self._rows)
            summary = self.tr("1 line") if number == 1 else self.tr("{number} lines").format(number=number)
        elif added or removed:
            one, several = self.tr("1 line added, {removed} removed"), self.tr("{added} lines added, {removed} removed")
            summary = (one if added == 1 else several).format(added=added, removed=removed)
        else:
            summary = self.tr("No differences")
        self._summary.setText(summary)
        for button in (self.previous, self.next):
            button.setEnabled(bool(added or removed))
            button.setVisible(bool(old))
        self._show_panes()
        self.old.set_lines([_make_line(row.old, row, LineChange.REMOVED) for row in self._rows])
        self.new.set_lines([_make_line(row.new, row, LineChange.ADDED) for row in self._rows])
        self.unified.set_lines([_make_line(row.new or row.old, row, row.change) for row in unify(self._rows)])

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._show_panes()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "unified"):
            for pane in (self.old, self.new, self.unified):
                pane.apply_colours()

    def _go_to_change(self, step: int) -> None:
        """Go to the next or previous change, wrapping around."""
        is_side_by_side = self._is_side_by_side
        places = find_change_starts(self._rows if is_side_by_side else unify(self._rows))
        if places:
            self._at = (self._at + step) % len(places) if self._at >= 0 else (0 if step > 0 else len(places) - 1)
            for pane in (self.old, self.new) if is_side_by_side else (self.unified,):
                pane.scroll_to_row(places[self._at])

    @property
    def _is_side_by_side(self) -> bool:
        return self.side_by_side.isChecked() and self.width() >= _MIN_SIDE_BY_SIDE_WIDTH

    def _show_panes(self) -> None:
        """A narrow window shows the unified pane."""
        self.side_by_side.setVisible(self.width() >= _MIN_SIDE_BY_SIDE_WIDTH and not self._columns[0].isHidden())
        self._panes.setVisible(self._is_side_by_side)
        self.unified.setVisible(not self._is_side_by_side)
        # A splitter ignores heightForWidth.
        self._bar.setFixedHeight(self._bar.heightForWidth(self.width()))

    def _make_bar(self) -> QWidget:
        bar = QWidget()
        row = FlowLayout()
        bar.setLayout(row)
        row.addWidget(self._summary)
        row.add_right_aligned(self.previous, self.next, self.side_by_side)
        return bar

    @staticmethod
    def _make_column(title: QLabel, pane: DiffPane) -> QWidget:
        column = QWidget()
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setFont(make_font(TextStyle.STRONG, title.font()))
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.TIGHT)
        layout.addWidget(title)
        layout.addWidget(pane, 1)
        return column

    @staticmethod
    def _make_button(label: str, shortcut: str) -> QPushButton:
        button = QPushButton(label)
        button.setShortcut(QKeySequence(shortcut))
        button.setToolTip(f"{label} ({QKeySequence(shortcut).toString(QKeySequence.SequenceFormat.NativeText)})")
        return button

    @staticmethod
    def _link(one: DiffPane, other: DiffPane) -> None:
        for bar, twin in (
            (one.verticalScrollBar(), other.verticalScrollBar()),
            (one.horizontalScrollBar(), other.horizontalScrollBar()),
        ):
            bar.valueChanged.connect(twin.setValue)
            twin.valueChanged.connect(bar.setValue)


def _make_line(side: DiffSide | None, row: DiffRow, change: LineChange) -> DiffLine:
    """One side of a row, or an empty line that keeps both panes aligned."""
    if side is None:
        return DiffLine(number=None, text="", change=LineChange.SAME)
    shown = LineChange.SAME if row.change is LineChange.SAME else change
    return DiffLine(number=side.number, text=side.text, change=shown, spans=side.spans)
