"""Two texts and what changed between them, beside each other or below."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSplitter, QVBoxLayout, QWidget

from app.look.dressing import mark
from app.look.theme import Space, Type, make_font
from app.widgets.diff_pane import DiffPane, Line
from app.widgets.differences import Change, Row, Side, compare, count, find_changes, unify
from app.widgets.flow import Flow
from app.widgets.plain import reveal

_WIDE = 560
_LEAST_HEIGHT = 200


class DiffView(QWidget):
    """Both panes scroll together; F7 and Shift+F7 go from change to change."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []
        self._at = -1
        self._titles = QLabel(), QLabel()
        self._summary = QLabel()
        mark(self._summary, "ink", "muted")
        self.old, self.new = DiffPane(self.tr("Before")), DiffPane(self.tr("After"))
        self.unified = DiffPane(self.tr("Before and after"))
        self.previous = self._make_button(self.tr("Previous change"), "Shift+F7")
        self.next = self._make_button(self.tr("Next change"), "F7")
        self.beside = self._make_button(self.tr("Side by side"), "F8")
        self.beside.setCheckable(True)
        self.beside.setChecked(True)
        self.previous.clicked.connect(lambda: self._go(-1))
        self.next.clicked.connect(lambda: self._go(1))
        self.beside.toggled.connect(lambda _: self._show_panes())
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
        self.setMinimumHeight(_LEAST_HEIGHT)
        self._show_panes()

    @property
    def rows(self) -> list[Row]:
        return self._rows

    def set_texts(self, old: str, new: str, *, old_title: str = "", new_title: str = "") -> None:
        """Compare them. What would hide or turn text around is written out: a script is read here before it is used."""
        self._rows = compare(reveal(old or new), reveal(new))
        self._at = -1
        for label, title in zip(self._titles, (old_title, new_title), strict=True):
            label.setText(title)
            label.setVisible(bool(title))
        self._columns[0].setVisible(bool(old))  # a first version stands by itself
        added, removed = count(self._rows)
        if not old:
            number = len(self._rows)
            said = self.tr("1 line") if number == 1 else self.tr("{number} lines").format(number=number)
        elif added or removed:
            one, several = self.tr("1 line added, {removed} removed"), self.tr("{added} lines added, {removed} removed")
            said = (one if added == 1 else several).format(added=added, removed=removed)
        else:
            said = self.tr("No differences")
        self._summary.setText(said)
        for button in (self.previous, self.next):
            button.setEnabled(bool(added or removed))
            button.setVisible(bool(old))
        self._show_panes()
        self.old.set_lines([_show(row.old, row, Change.REMOVED) for row in self._rows])
        self.new.set_lines([_show(row.new, row, Change.ADDED) for row in self._rows])
        self.unified.set_lines([_show(row.new or row.old, row, row.change) for row in unify(self._rows)])

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        self._show_panes()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802  # Qt's name
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "unified"):
            for pane in (self.old, self.new, self.unified):
                pane.dress()

    def _go(self, step: int) -> None:
        """To the next or previous change; from the last one on to the first."""
        is_beside = self._is_beside
        places = find_changes(self._rows if is_beside else unify(self._rows))
        if places:
            self._at = (self._at + step) % len(places) if self._at >= 0 else (0 if step > 0 else len(places) - 1)
            for pane in (self.old, self.new) if is_beside else (self.unified,):
                pane.go_to(places[self._at])

    @property
    def _is_beside(self) -> bool:
        return self.beside.isChecked() and self.width() >= _WIDE

    def _show_panes(self) -> None:
        """Two panes beside each other need room; in a narrow window one has both texts."""
        self.beside.setVisible(self.width() >= _WIDE and not self._columns[0].isHidden())
        self._panes.setVisible(self._is_beside)
        self.unified.setVisible(not self._is_beside)
        # A splitter does not ask how tall this is at its width.
        self._bar.setFixedHeight(self._bar.heightForWidth(self.width()))

    def _make_bar(self) -> QWidget:
        bar = QWidget()
        row = Flow()
        bar.setLayout(row)
        row.addWidget(self._summary)
        row.add_after_gap(self.previous, self.next, self.beside)
        return bar

    @staticmethod
    def _make_column(title: QLabel, pane: DiffPane) -> QWidget:
        column = QWidget()
        title.setTextFormat(Qt.TextFormat.PlainText)
        title.setFont(make_font(Type.STRONG, title.font()))
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


def _show(side: Side | None, row: Row, change: Change) -> Line:
    """A side of a row; where it has none, an empty line that keeps both in step."""
    if side is None:
        return Line(number=None, text="", change=Change.SAME)
    shown = Change.SAME if row.change is Change.SAME else change
    return Line(number=side.number, text=side.text, change=shown, spans=side.spans)
