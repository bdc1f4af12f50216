"""The history with runs that have nothing to report folded: consecutive ones of a day are one row with their number."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from heapq import merge
from zoneinfo import ZoneInfo

from scheduler.engine.queries.history import MAX_PAGE_ROWS, read_cursor, resolve_query, view_time, write_cursor
from scheduler.engine.queries.runs import RunView, view_run
from scheduler.engine.queries.snapshot import Snapshot
from scheduler.rules.history_query import HistoryCursor, HistoryQuery, NotRunTime, QuietRuns, RunRange
from scheduler.store import history, quiet_runs
from scheduler.store.database import to_instant, to_ms
from scheduler.store.quiet_runs import RunMark
from scheduler.timing.instants import instant_of
from scheduler.timing.zones import find_zone

MAX_UNFOLDED_RUNS = 500
"""Runs that one unfolded row shows; those beyond are folded again, below."""
_MAX_SCANNED_RUNS = 10_000
"""After this many, a page ends with the row it has come to, so that no page takes long."""
_MAX_CHUNK_RUNS = 4_000
FoldedRow = RunView | NotRunTime | QuietRuns
_Item = RunMark | NotRunTime


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedHistory:
    rows: tuple[FoldedRow, ...]
    """Newest first."""
    cursor: str | None
    """Where the next page starts; None on the last page."""


@dataclass(slots=True)
class _Entry:
    """One row, or one unfolded row with its runs."""

    items: list[_Item]
    day: tuple[int, int] | None = None
    """The day of quiet runs, as its first and last millisecond; None if it cannot be folded."""
    unfolded: RunRange | None = None

    @property
    def is_folded(self) -> bool:
        return self.day is not None and self.unfolded is None and len(self.items) > 1

    @property
    def row_count(self) -> int:
        return 1 if self.is_folded else len(self.items) + (self.unfolded is not None)


def find(
    snapshot: Snapshot, query: HistoryQuery, cursor: str | None, limit: int, unfolded: Collection[RunRange]
) -> FoldedHistory:
    """About `limit` rows: an unfolded row is never cut."""
    limit = min(max(limit, 1), MAX_PAGE_ROWS)
    query, page = resolve_query(snapshot, query), read_cursor(cursor)
    zone = find_zone(snapshot.context.machine_zone)
    marks: Iterator[_Item] = _scan_runs(snapshot, query, page, limit)
    times: Iterator[_Item] = _scan_times(snapshot, query, page, limit)
    entries: list[_Entry] = []
    rows = 0
    number: int | None = None
    time: NotRunTime | None = None
    # Merged, not sorted: the next page continues where each of them ended, even if the clock was set back between them.
    for scanned, item in enumerate(merge(marks, times, key=_time_of, reverse=True)):
        if entries and _belongs_to(entries[-1], item, unfolded):
            entries[-1].items.append(item)
        elif rows + (entries[-1].row_count if entries else 0) >= limit or scanned >= _MAX_SCANNED_RUNS:
            return FoldedHistory(rows=_view(snapshot, entries), cursor=write_cursor(page, number, time))
        else:
            rows += entries[-1].row_count if entries else 0
            entries.append(_start_entry(item, zone, unfolded))
        if isinstance(item, RunMark):
            number = item.number
        else:
            time = item
    return FoldedHistory(rows=_view(snapshot, entries), cursor=None)


def unfold(snapshot: Snapshot, query: HistoryQuery, runs: RunRange) -> FoldedHistory:
    """The runs of a folded row below it; if they are too many, the rest as another folded row."""
    query, page = resolve_query(snapshot, query), HistoryCursor(number=runs.high + 1)
    marks = [one for one in _scan_runs(snapshot, query, page, MAX_UNFOLDED_RUNS, runs.low) if one.is_quiet]
    shown, rest = marks[:MAX_UNFOLDED_RUNS], marks[MAX_UNFOLDED_RUNS:]
    found = [_Entry([*shown], (0, 0), RunRange(shown[-1].number, shown[0].number))] if shown else []
    found += [_Entry([*rest], (0, 0))] if rest else []
    return FoldedHistory(rows=_view(snapshot, found), cursor=None)


def _time_of(item: _Item) -> int:
    return item.created if isinstance(item, RunMark) else to_ms(item.planned) or 0


def _scan_runs(
    snapshot: Snapshot, query: HistoryQuery, page: HistoryCursor, first_most: int, low: int = 0
) -> Iterator[RunMark]:
    """In chunks that grow: a page needs few runs, unless most have nothing to report."""
    most = first_most + 1
    while True:
        found = quiet_runs.scan(snapshot.db, query, page, most)
        yield from (one for one in found if one.number >= low)
        if len(found) < most or found[-1].number < low:
            return
        page, most = page._replace(number=found[-1].number), min(4 * most, _MAX_CHUNK_RUNS)


def _scan_times(snapshot: Snapshot, query: HistoryQuery, page: HistoryCursor, limit: int) -> Iterator[NotRunTime]:
    while True:
        found = history.find_not_run(snapshot.db, query, page, limit + 1)
        if len(found) <= limit:
            yield from found
            return
        # Rows of one schedule at one instant stay together, since the cursor cannot split them.
        last = (found[-1].planned, found[-1].schedule)
        whole = [one for one in found if (one.planned, one.schedule) > last] or found
        yield from whole
        page = page._replace(planned=to_ms(whole[-1].planned) or 0, schedule=whole[-1].schedule)


def _belongs_to(entry: _Entry, item: _Item, unfolded: Collection[RunRange]) -> bool:
    if isinstance(item, NotRunTime):
        last = entry.items[-1]
        return isinstance(last, NotRunTime) and (last.planned, last.schedule) == (item.planned, item.schedule)
    if entry.day is None or not item.is_quiet or not entry.day[0] <= item.created <= entry.day[1]:
        return False
    return not unfolded or _find_range(item, unfolded) == entry.unfolded


def _start_entry(item: _Item, zone: ZoneInfo, unfolded: Collection[RunRange]) -> _Entry:
    if isinstance(item, NotRunTime):
        return _Entry([item])
    if not item.is_quiet:
        return _Entry([item])
    day = to_instant(item.created).astimezone(zone).date()
    first, last = instant_of(day, zone), instant_of(day, zone, end_of_day=True)
    return _Entry([item], (to_ms(first) or 0, (to_ms(last) or 0) + 999), _find_range(item, unfolded))


def _find_range(mark: RunMark, unfolded: Collection[RunRange]) -> RunRange | None:
    return next((one for one in unfolded if one.low <= mark.number <= one.high), None)


def _view(snapshot: Snapshot, entries: list[_Entry]) -> tuple[FoldedRow, ...]:
    single = [entry for entry in entries if not entry.is_folded]
    numbers = [one.number for entry in single for one in entry.items if isinstance(one, RunMark)]
    found = {one.number: view_run(snapshot, one) for one in history.read_runs(snapshot.db, numbers)} if numbers else {}
    rows: list[FoldedRow] = []
    for entry in entries:
        marks = [one for one in entry.items if isinstance(one, RunMark)]
        if entry.day is not None and (entry.is_folded or entry.unfolded is not None):
            rows.append(_fold(marks, is_unfolded=entry.unfolded is not None))
        if not entry.is_folded:
            rows += [found[one.number] for one in marks if one.number in found]  # it may have been deleted meanwhile
            rows += [view_time(snapshot, one) for one in entry.items if isinstance(one, NotRunTime)]
    return tuple(rows)


def _fold(marks: list[RunMark], *, is_unfolded: bool) -> QuietRuns:
    return QuietRuns(
        first=to_instant(min(one.created for one in marks)),
        last=to_instant(max(one.created for one in marks)),
        number=len(marks),
        runs=RunRange(marks[-1].number, marks[0].number),
        workflows=tuple(sorted({one.workflow for one in marks})),
        is_unfolded=is_unfolded,
    )
