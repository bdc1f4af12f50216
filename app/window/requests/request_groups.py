"""All open requests of a page, grouped. Answers to a group are sent after a few seconds in which they can be undone."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeySequence, QShortcut, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.overview import Overview, describe_unasked
from app.requests.groups import GroupKey, RequestGroup, group_requests, merge_by_action, merge_by_kind
from app.session import Session
from app.theme.tokens import Space
from app.widgets.details_view import make_label
from app.widgets.request_card import RequestCard
from app.widgets.visible_text import escape_invisible
from app.window.feedback import make_button
from app.window.request_cards import FixerTextDialog
from app.window.requests.delayed_answers import DelayedAnswers
from app.window.requests.group_entry import EntryStyle, GroupEntry
from scheduler.engine.queries.requests import RequestView

MAX_CARDS = 3
"""If there are more groups than this, single requests are rows as well."""
_ENTRIES_AT_ONCE = 12
"""About as many rows as a window shows."""
_MAX_SEPARATE_GROUPS = 6
"""If there are more groups than this, approvals of the same action are one group, whosever they are."""
_MAX_SHORT_CARDS, _MAX_SHORT_ENTRIES = 2, 4
_MAX_CARDS_OF_GROWN_GROUP = 3
"""A single request stays a card when others like it arrive, up to this many."""
translate = QCoreApplication.translate


class RequestGroups(QWidget):
    """Sorted when it is shown. Later groups are added at the end, so that nothing moves under the mouse."""

    open_page = Signal(str, str)
    answered = Signal()
    """A command succeeded: refresh."""
    emptied = Signal()
    undo_offered = Signal(QWidget)
    """The row with the button, which must be visible as long as it can be pressed."""
    opened = Signal(QWidget)
    """The group or card that was opened for the user, who must see it."""
    focus_left = Signal()
    """What had the focus was answered, and there is nothing else to answer here."""
    refused = Signal(str)
    """Why an answer was not accepted, while nothing is visible here that could say so."""

    def __init__(self, session: Session, *, is_short: bool = False) -> None:
        """`is_short`: a few rows that open the Attention page; full cards only if there are hardly any requests."""
        super().__init__()
        self._session = session
        self._is_short = is_short
        self._overview: Overview | None = None
        self._filter: Callable[[RequestView], bool] = lambda _: True
        self.entries: dict[GroupKey, GroupEntry] = {}
        self._groups: list[RequestGroup] = []
        self._must_sort = True
        self._keeps_order = False
        """Whether to leave everything where it is when it is shown the next time."""
        self._is_merged = False
        """Whether approvals of the same action are one group, whosever they are."""
        self._limit = _MAX_SHORT_ENTRIES if is_short else _ENTRIES_AT_ONCE
        self._delayed = DelayedAnswers(session, self)
        self._delayed.refused.connect(self._tell_refusal)
        undo = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self)
        undo.setWhatsThis(translate("groups", "Undo the last answer"))  # listed in Help
        undo.setEnabled(False)
        undo.activated.connect(self._delayed.undo)
        self._delayed.pending_changed.connect(lambda: undo.setEnabled(self._delayed.is_pending))
        self.more = make_button("")
        self.more.clicked.connect(self._show_more)
        self.more.hide()
        self._list = QVBoxLayout()
        self._list.setSpacing(Space.MEDIUM)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(Space.MEDIUM)
        layout.addLayout(self._list)
        layout.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self.unasked = make_label("")
        self.open_unasked = make_button("")
        self.open_unasked.clicked.connect(self._open_unasked)
        rest = QHBoxLayout()
        rest.addWidget(self.unasked, 1)
        rest.addWidget(self.open_unasked)
        layout.addLayout(rest)

    @property
    def is_empty(self) -> bool:
        return not self.entries and not self.unasked.text()

    @property
    def cards(self) -> dict[str, RequestCard]:
        """By request, those that are shown as full cards; includes cards that were just answered."""
        return {
            id_: card for entry in self.entries.values() for one in entry.holders for id_, card in one.cards.items()
        }

    @property
    def sent_dialog(self) -> FixerTextDialog | None:
        dialogs = (one.sent_dialog for entry in self.entries.values() for one in entry.holders)
        return next((one for one in dialogs if one is not None), None)

    def set_filter(self, is_wanted: Callable[[RequestView], bool]) -> None:
        """Show only these, from the beginning."""
        self.send_delayed()
        self._filter = is_wanted
        self._limit = _MAX_SHORT_ENTRIES if self._is_short else _ENTRIES_AT_ONCE
        self._must_sort = True
        if self._overview is not None:
            self.show_requests(self._overview)

    def show_requests(self, overview: Overview) -> None:
        self._overview = overview
        self._groups = group_requests(one for one in overview.requests if self._filter(one))
        if self._must_sort and not self._delayed.is_pending:
            self._is_merged = not self._is_short and len(self._groups) > _MAX_SEPARATE_GROUPS
        if self._is_short and len(self._groups) > _MAX_SHORT_ENTRIES:
            self._groups = merge_by_kind(self._groups)
        elif self._is_merged:
            self._groups = merge_by_action(self._groups)
        self._show_unasked(overview)
        styles = self._choose_styles(self._groups)
        if self._must_sort and not self._delayed.is_pending:
            self._must_sort = False
            self._remove_misplaced(styles)
        present = {group.key: group for group in self._groups}
        for key, entry in list(self.entries.items()):
            self._update(key, entry, present.get(key), overview)
        for group in self._groups:
            if group.key not in self.entries and len(self.entries) < self._limit:
                self._add(group, styles[group.key], overview)
        rest = sum(group.key not in self.entries for group in self._groups)
        self.more.setText(translate("groups", "Show {number} more").format(number=rest))
        self.more.setVisible(rest > 0 and not self._is_short)

    def focus_first(self) -> bool:
        """Focus the first group; False if there is none."""
        return any(entry.focus_first() for entry in self.entries.values())

    def open_first(self) -> None:
        """Open the first group that can be answered at once."""
        if (entry := self._find_next_table(())) is not None:
            self._open(entry)

    def focus(self, request: str) -> bool:
        """Open the group of that request and focus it there; False if it is not shown."""
        group = next((one for one in self._groups if any(each.id == request for each in one.requests)), None)
        if group is None or self._overview is None:
            return False
        if group.key not in self.entries:
            self._add(group, EntryStyle.ROW, self._overview)
        return self.entries[group.key].focus_request(request)

    def keep_order(self) -> None:
        """The next time that it is shown, leave everything where it was."""
        self._keeps_order = True

    def find_entry(self, request: str) -> GroupEntry | None:
        return next(
            (one for one in self.entries.values() if any(each.id == request for each in one.group.requests)), None
        )

    def send_delayed(self, *, wait: bool = False) -> None:
        """Send an answer that could still be undone."""
        if wait:
            self._delayed.send_and_wait()
        else:
            self._delayed.send()

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802  # Qt's name
        super().showEvent(event)
        self._must_sort = not self._keeps_order
        self._keeps_order = False

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802  # Qt's name
        """What cannot be seen cannot be undone."""
        super().hideEvent(event)
        self.send_delayed()

    def _tell_refusal(self, sentence: str) -> None:
        """Its row says it, too; but nobody sees that when the page is left or the window closed."""
        if not self.isVisible() or self.window().isMinimized():
            self.refused.emit(sentence)

    def _show_unasked(self, overview: Overview) -> None:
        """What needs the user without a request that could be shown here."""
        found = overview.unasked
        self.unasked.setText(describe_unasked(overview))
        name = escape_invisible(found[0].name) if len(found) == 1 else translate("groups", "Workflows")
        self.open_unasked.setText(translate("groups", "Open {name}").format(name=name))
        for part in (self.unasked, self.open_unasked):
            part.setVisible(bool(found))

    def _open_unasked(self) -> None:
        found = () if self._overview is None else self._overview.unasked
        self.open_page.emit("workflows", found[0].workflow if len(found) == 1 else "")

    def _choose_styles(self, groups: Sequence[RequestGroup]) -> dict[GroupKey, EntryStyle]:
        """A few single requests as cards; more of them are read faster as rows."""
        has_room = len(groups) <= (_MAX_SHORT_CARDS if self._is_short else MAX_CARDS)
        row = EntryStyle.LINK if self._is_short else EntryStyle.ROW
        return {group.key: EntryStyle.CARD if has_room and len(group.requests) == 1 else row for group in groups}

    def _remove_misplaced(self, styles: dict[GroupKey, EntryStyle]) -> None:
        """Keep the entries that are at the right place already; the others are created again."""
        wanted = list(styles.items())[: self._limit]
        kept = [(key, entry.style_) for key, entry in self.entries.items()]
        same = 0
        while same < min(len(kept), len(wanted)) and kept[same] == wanted[same]:
            same += 1
        for key, _ in kept[same:]:
            self._remove(key)

    def _update(self, key: GroupKey, entry: GroupEntry, group: RequestGroup | None, overview: Overview) -> None:
        is_card = entry.style_ is EntryStyle.CARD
        is_too_many = group is not None and len(group.requests) > _MAX_CARDS_OF_GROWN_GROUP
        if is_card and is_too_many and not self._delayed.is_pending:
            self._remove(key)
        else:
            entry.show_group(group, overview)

    def _add(self, group: RequestGroup, style: EntryStyle, overview: Overview) -> None:
        entry = GroupEntry(self._session, self._delayed, group, style)
        self.entries[group.key] = entry
        entry.open_page.connect(self.open_page)
        entry.answered.connect(self.answered)
        entry.undo_offered.connect(self.undo_offered)
        entry.opened.connect(self.opened)
        entry.has_next = partial(self._has_next, group.key)
        entry.next_chosen.connect(partial(self._open_next, group.key))
        entry.focus_left.connect(partial(self._focus_next, group.key))
        entry.finished.connect(partial(self._on_finished, group.key))
        entry.show_group(group, overview)
        self._list.addWidget(entry)
        if len(self._groups) == 1 and style is EntryStyle.ROW:
            entry.open()

    def _remove(self, key: GroupKey) -> None:
        entry = self.entries.pop(key)
        self._list.removeWidget(entry)
        entry.hide()
        entry.deleteLater()

    def _on_finished(self, key: GroupKey) -> None:
        if key not in self.entries:
            return
        self._remove(key)
        if self.entries and self._overview is not None:
            self.show_requests(self._overview)  # one that had no room before
        else:
            self.emptied.emit()

    def _find_next_table(self, key: GroupKey) -> GroupEntry | None:
        """The next group that can be answered at once, else the first."""
        keys = list(self.entries)
        place = keys.index(key) if key in keys else -1
        following = (*keys[place + 1 :], *keys[: max(place, 0)])
        return next((self.entries[one] for one in following if self.entries[one].can_be_answered_together), None)

    def _has_next(self, key: GroupKey) -> bool:
        is_hidden = any(group.is_table and group.key not in self.entries for group in self._groups)
        return is_hidden or self._find_next_table(key) is not None

    def _open_next(self, key: GroupKey) -> None:
        entry = self._find_next_table(key)
        if entry is None:  # there was no room for it
            self._limit = len(self._groups)
            self._show_more()
            entry = self._find_next_table(key)
        if entry is not None:
            self._open(entry)

    def _open(self, entry: GroupEntry) -> None:
        """Open it with its head in view, and focus it."""
        entry.open()
        entry.focus_first()
        self.opened.emit(entry)

    def _focus_next(self, key: GroupKey) -> None:
        """Focus what comes after this group, else what comes before it."""
        keys = list(self.entries)
        place = keys.index(key) if key in keys else len(keys)
        for other in (*keys[place + 1 :], *reversed(keys[:place])):
            if self.entries[other].focus_first():
                return
        if not self._delayed.is_pending:  # else the focus is at Undo
            self.focus_left.emit()

    def _show_more(self) -> None:
        self._limit += _ENTRIES_AT_ONCE
        if self._overview is not None:
            self.show_requests(self._overview)
