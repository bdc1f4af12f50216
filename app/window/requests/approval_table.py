"""Several approvals of the same action as one table with boxes, and the card of the row that is open."""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QCheckBox, QHeaderView, QPushButton, QTableView, QVBoxLayout, QWidget

from app.overview import Overview
from app.requests.call_table import make_call_table, share_facts
from app.session import Session
from app.theme.stylesheet import style_as_card
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.widgets.flow_layout import FlowLayout
from app.widgets.visible_text import BREAK_POINT, add_break_points, escape_invisible
from app.window.feedback import make_button
from app.window.request_cards import RequestCards
from app.window.requests.approval_model import MAX_CELL_PX, ApprovalModel
from app.window.requests.delayed_answers import DelayedAnswers
from scheduler.engine.queries.requests import RequestView

_MAX_VISIBLE_LINES = 16
_UNLIMITED_PX = 100_000
_MAX_SENTENCE_PX = 360
_SHORT_PX = 140
"""A column of short texts, such as amounts and dates, is never narrower than they are."""
_NARROW_PX = 110
"""Below this, long texts would have a word per line."""
_LONG_WORD_PX, _MAX_PIECE_PX = 200, 160
"""Words such as paths have break points, and how wide their pieces are."""
_PADDING = 3 * Space.SMALL
_APPROVE_KEYS, _REJECT_KEYS = "Ctrl+Return", "Ctrl+Backspace"


class ApprovalTable(QWidget):
    """Nothing is ticked at first, nor what arrives later: the user ticks what was seen."""

    answer_chosen = Signal(str, object)
    """`approve` or `reject`, and the ticked requests."""
    card_opened = Signal(QWidget)
    """The card of a row, which the user must see."""

    def __init__(self, session: Session, delayed: DelayedAnswers, name: str) -> None:
        super().__init__()
        self._session = session
        self._overview: Overview | None = None
        self._kept: dict[str, RequestView] = {}
        """Answers that were refused stay visible, though their requests may be gone."""
        self._shown: tuple[dict[str, RequestView], date] | None = None
        """What the table was made of; making it takes a while."""
        self._is_updating = False
        self.view = _TableView()
        self.view.setAccessibleName(escape_invisible(name))
        metrics = QFontMetrics(self.view.font())
        self.model = ApprovalModel(partial(_break_words, metrics), partial(_count_lines, metrics))
        self.model.setParent(self)
        self.view.setModel(self.model)
        self.facts = make_label("", "muted")
        self.select_all = QCheckBox(self.tr("Select all"))
        self.select_all.clicked.connect(self._tick_all)
        self.hint = make_label("", "muted")
        self.approve = make_button(self.tr("Approve"), importance="primary")
        self.reject = make_button(self.tr("Reject"))
        self.open_button = make_button(self.tr("Open"))
        self.open_button.setAccessibleDescription(self.tr("Shows everything that the current row would do"))
        self.approve.clicked.connect(lambda: self._choose("approve"))
        self.reject.clicked.connect(lambda: self._choose("reject"))
        self.open_button.clicked.connect(self.open_row)
        self.cards = RequestCards(session, delayed)
        self._lay_out()
        self._add_shortcut(_APPROVE_KEYS, self.approve)
        self._add_shortcut(_REJECT_KEYS, self.reject)
        self.model.ticks_changed.connect(self._update_buttons)
        self.view.toggled.connect(self._toggle)
        self.view.all_toggled.connect(self._tick_all)
        self.view.opened.connect(self.open_row)
        self.view.width_changed.connect(self._fit)
        self.view.selectionModel().currentRowChanged.connect(self._follow_row)

    def show_requests(self, overview: Overview, requests: Sequence[RequestView]) -> None:
        """Ticks, the current row and the open card are kept."""
        self._overview = overview
        rows = {one.id: one for one in requests}
        rows |= {id_: one for id_, one in self._kept.items() if id_ not in rows}
        if not rows:
            return
        day = overview.now.astimezone(overview.zone).date()
        if self._shown != (rows, day):
            self._shown = rows, day
            self._fill(overview, list(rows.values()))
        shown = [one for id_, one in rows.items() if id_ in self.cards.cards]
        self.cards.show_requests(overview, shown)

    def _fill(self, overview: Overview, requests: Sequence[RequestView]) -> None:
        current = self.current_request()
        place = self.view.currentIndex().row()
        shared, places = share_facts(requests, self._session.registry)
        self.facts.setText(escape_invisible("\n".join(f"{label}: {value}" for label, value in shared)))
        self.model.show_table(make_call_table(requests, overview, places))
        self._fit()
        found = None if current is None else self.model.find_row(current.id)
        if current is not None:  # the next row takes the place of one that was answered
            self._is_updating = True  # but its card must not appear where the user is about to click
            self.select_row(min(place, self.model.rowCount() - 1) if found is None else found)
            self._is_updating = False

    def show_outcomes(self, outcomes: Mapping[str, str], refused: Mapping[str, RequestView]) -> None:
        """What became of the answers, and the requests whose answers were refused."""
        self._kept |= refused
        self.model.lock(on=False)
        self.model.show_outcomes(dict(outcomes))
        self._fit()

    def lock(self, *, on: bool) -> None:
        """While an answer is about to be sent."""
        self.model.lock(on=on)
        self.select_all.setEnabled(not on)

    def current_request(self) -> RequestView | None:
        place = self.view.currentIndex().row()
        rows = self.model.table.rows
        return rows[place].request if 0 <= place < len(rows) else None

    def focus_request(self, request: str) -> bool:
        place = self.model.find_row(request)
        if place is None:
            return False
        self.select_row(place)
        self.view.setFocus()
        return True

    def select_row(self, place: int) -> None:
        how = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.view.selectionModel().setCurrentIndex(self.model.index(place, 0), how)

    def open_row(self) -> None:
        """Show the card of the current row, with everything that it would do."""
        if (one := self.current_request()) is not None:
            self._show_card(one)
            self.card_opened.emit(self.cards)

    def _show_card(self, one: RequestView) -> None:
        if self._overview is not None:
            self.cards.replace_with(self._overview, [one])
            self.model.mark_opened(one)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        """Escape closes the open card, unless something is filled in there."""
        if event.key() == Qt.Key.Key_Escape and self.cards.cards:
            if not any(card.is_busy for card in self.cards.cards.values()):
                self.view.setFocus()
                self.cards.clear()
        else:
            super().keyPressEvent(event)

    def _follow_row(self, _current: QModelIndex, _before: QModelIndex) -> None:
        """An open card follows the current row; the table stays in view."""
        one = self.current_request()
        if one is not None and self.cards.cards and not self.model.is_locked and not self._is_updating:
            self._show_card(one)

    def _toggle(self) -> None:
        """Tick the selected rows, or untick them if all are ticked; a row that does not fit is opened first."""
        places = sorted({index.row() for index in self.view.selectionModel().selectedRows()})
        chosen = [self.model.table.rows[place].request for place in places]
        able = [one for one in chosen if self.model.can_tick(one)]
        if not able and not self.model.is_locked:
            self.open_row()
        else:
            self.model.set_ticked(able, on=not all(map(self.model.is_ticked, able)))

    def _tick_all(self) -> None:
        is_on = len(self.model.ticked()) < self._count_able()
        self.model.set_ticked([row.request for row in self.model.table.rows], on=is_on)

    def _count_able(self) -> int:
        return sum(self.model.can_tick(row.request) for row in self.model.table.rows)

    def _choose(self, answer: str) -> None:
        if ticked := self.model.ticked():
            self.answer_chosen.emit(answer, ticked)

    def _update_buttons(self) -> None:
        number, able, marked = len(self.model.ticked()), self._count_able(), self.model.count_marked()
        for button, with_number, without in (
            (self.approve, self.tr("Approve {number}"), self.tr("Approve")),
            (self.reject, self.tr("Reject {number}"), self.tr("Reject")),
        ):
            button.setText(with_number.format(number=number) if number else without)
            button.setEnabled(bool(number) and not self.model.is_locked)
        state = Qt.CheckState.PartiallyChecked if number else Qt.CheckState.Unchecked
        are_all = number == able and not marked
        self.select_all.setCheckState(Qt.CheckState.Checked if number and are_all else state)
        self.select_all.setEnabled(able > 0)
        hint = self.tr("{number} rows do not fit into the table. Open them before you select them.")
        if marked == 1:
            hint = self.tr("1 row does not fit into the table. Open it before you select it.")
        self.hint.setText(hint.format(number=marked))
        self.hint.setVisible(bool(marked) and not self.model.is_locked)
        self.view.setColumnHidden(self.model.columnCount() - 1, not self.model.has_outcomes)

    def _fit(self) -> None:
        _fit_table(self.view, self.model)

    def _lay_out(self) -> None:
        top, buttons = FlowLayout(Space.MEDIUM), FlowLayout()
        top.addWidget(self.select_all)
        top.add_expanding(self.hint)
        for button in (self.approve, self.reject, self.open_button):
            buttons.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.SMALL)
        layout.addWidget(self.facts)
        layout.addLayout(top)
        layout.addWidget(self.view)
        layout.addLayout(buttons)
        layout.addWidget(self.cards)

    def _add_shortcut(self, keys: str, button: QPushButton) -> None:
        """Works in the table only: the open card has the same keys for its own request."""
        shortcut = QShortcut(QKeySequence(keys), self.view)
        shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
        shortcut.setAutoRepeat(False)
        shortcut.setWhatsThis(button.text())  # listed in Help
        shortcut.activated.connect(button.click)
        native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)
        button.setToolTip(f"{button.text()} ({native})")


class _TableView(QTableView):
    toggled = Signal()
    all_toggled = Signal()
    opened = Signal()
    width_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        style_as_card(self)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)  # rows may be tall
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(QFontMetrics(self.font()).height() + Space.MEDIUM)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.doubleClicked.connect(lambda _: self.opened.emit())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802  # Qt's name
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.width_changed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802  # Qt's name
        is_plain = event.modifiers() in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
        if is_plain and event.key() == Qt.Key.Key_Space:
            self.toggled.emit()
        elif is_plain and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit()
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self.all_toggled.emit()
        else:
            super().keyPressEvent(event)


def _break_words(metrics: QFontMetrics, text: str) -> str:
    return add_break_points(text, metrics.horizontalAdvance, _LONG_WORD_PX, _MAX_PIECE_PX)


def _count_lines(metrics: QFontMetrics, text: str, width: int = MAX_CELL_PX) -> int:
    """How many lines a cell needs; its long words have break points."""
    if metrics.horizontalAdvance(text) <= width:
        return 1
    box = metrics.boundingRect(0, 0, width, _UNLIMITED_PX, Qt.TextFlag.TextWordWrap, text)
    return -(-box.height() // metrics.lineSpacing())


def share_width(room: int, wanted: Sequence[int], least: Sequence[int]) -> list[int]:
    """Columns that want little get all of it; the others share the rest evenly."""

    def limit(most: int) -> list[int]:
        return [max(one, min(full, most)) for full, one in zip(wanted, least, strict=True)]

    low, high = 0, max(wanted, default=0)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(limit(middle)) <= room else (low, middle - 1)
    return limit(low)


def _fit_table(view: _TableView, model: ApprovalModel) -> None:
    """Rows are as tall as their cells, so that a cell is cut only in a row that is marked."""
    metrics, rows = view.fontMetrics(), range(model.rowCount())
    widths = _measure_columns(view, model)
    for place, width in enumerate(widths):
        view.setColumnWidth(place, width)
    one_line = view.verticalHeader().defaultSectionSize()
    values = range(1, len(widths) - 2)
    for row in rows:
        lines = 1
        if model.fits(row):  # one that does not is opened, so that it needs no height
            cells = ((model.index(row, place).data(), widths[place] - _PADDING) for place in values)
            lines = max((_count_lines(metrics, text, width) for text, width in cells), default=1)
        view.setRowHeight(row, one_line + (lines - 1) * metrics.lineSpacing())
    header = view.horizontalHeader().sizeHint().height()
    bar = view.horizontalScrollBar().sizeHint().height()
    height = min(max(view.verticalHeader().length(), one_line), _MAX_VISIBLE_LINES * one_line)
    view.setFixedHeight(header + height + bar + 2 * view.frameWidth() + Space.SMALL)


def _measure_columns(view: _TableView, model: ApprovalModel) -> list[int]:
    metrics, heads = view.fontMetrics(), model.heads()
    last = len(heads) - 2  # what the workflow says, and then the result: cut where there is no room
    wanted, least = [], []
    for place, head in enumerate(heads):
        cells = {str(model.index(row, place).data()) for row in range(model.rowCount())}
        name = metrics.horizontalAdvance(head)
        full = max(map(metrics.horizontalAdvance, cells), default=0)
        full = min(max(name, full), _MAX_SENTENCE_PX if place >= last else MAX_CELL_PX)
        if place == 0:
            full += 2 * Space.LARGE  # the box
        must = min(full, name)
        if place == 0 or (place < last and full <= _SHORT_PX):
            must = full
        elif place < last:
            must = min(full, max(name, _NARROW_PX, *(_measure_widest_word(metrics, cell) for cell in cells)))
        is_shown = not view.isColumnHidden(place)
        wanted.append((full + _PADDING) * is_shown)
        least.append((must + _PADDING) * is_shown)
    room = view.maximumViewportSize().width() - view.verticalScrollBar().sizeHint().width()
    return share_width(room, wanted, least)


def _measure_widest_word(metrics: QFontMetrics, text: str) -> int:
    pieces = text.replace(BREAK_POINT, " ").split()
    return max(map(metrics.horizontalAdvance, pieces), default=0)
