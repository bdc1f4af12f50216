"""Marks never overlap, lose no run, and are found by binary search."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.i18n.state_labels import RunState
from app.widgets.timeline_layout import (
    CLUSTER_WIDTH,
    MAX_ROWS,
    MIN_MARK_WIDTH,
    LaneLayout,
    TimelineBar,
    find_ticks,
    lay_out,
    local_day,
    sort_bars,
    to_epoch_ms,
)
from app.widgets.timeline_paint import format_count

NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
BERLIN = ZoneInfo("Europe/Berlin")
A_DAY_ON_1000_PIXELS = 86_400_000 / 1000


def bar(minutes: float, length: float | None = 0, state: RunState = RunState.DONE, name: str = "") -> TimelineBar:
    """A run that many minutes after now."""
    start = NOW + timedelta(minutes=minutes)
    end = None if length is None else start + timedelta(minutes=length)
    return TimelineBar(id=name or f"{minutes}+{length}", lane="w", start=start, end=end, state=state)


def make_layout(bars: Sequence[TimelineBar], scale: float = A_DAY_ON_1000_PIXELS) -> LaneLayout:
    return lay_out(sort_bars(bars), scale=scale, now=NOW)


BARS = st.lists(
    st.builds(
        bar,
        st.floats(-1440, 1440),
        st.one_of(st.none(), st.floats(0, 600)),
        st.sampled_from(RunState),
        st.uuids().map(str),
    ),
    max_size=60,
)
SCALES = st.floats(600, 600_000)


@given(BARS, SCALES)
def test_no_two_marks_overlap(bars: list[TimelineBar], scale: float) -> None:
    layout = make_layout(bars, scale)
    for row in range(layout.rows):
        marks = [mark for mark in layout.marks if mark.row == row]
        for one, other in pairwise(marks):
            assert one.right <= other.left


@given(BARS, SCALES)
def test_every_run_is_in_exactly_one_mark(bars: list[TimelineBar], scale: float) -> None:
    shown = [bar.id for mark in make_layout(bars, scale).marks for bar in mark.bars]
    assert sorted(shown) == sorted(bar.id for bar in bars)


@given(BARS, SCALES)
def test_every_mark_can_be_seen_and_clicked(bars: list[TimelineBar], scale: float) -> None:
    for mark in make_layout(bars, scale).marks:
        assert mark.right - mark.left >= MIN_MARK_WIDTH - 0.01


@given(BARS, SCALES, st.floats(-1440, 1440), st.floats(1, 2000))
def test_between_finds_all_marks_in_a_range(
    bars: list[TimelineBar], scale: float, minutes: float, width: float
) -> None:
    layout = make_layout(bars, scale)
    left = to_epoch_ms(NOW + timedelta(minutes=minutes)) / scale
    marks = layout.marks_between(left, left + width)
    for mark in layout.marks:
        if mark.right >= left and mark.left <= left + width:
            assert mark in marks


@given(BARS, SCALES)
def test_at_most_three_rows_are_used(bars: list[TimelineBar], scale: float) -> None:
    assert 1 <= make_layout(bars, scale).rows <= MAX_ROWS


def test_between_returns_few_other_marks() -> None:
    layout = make_layout([bar(minute) for minute in range(-1440, 0, 1)], scale=1000)
    seen = layout.marks_between(layout.marks[500].left, layout.marks[500].left + 1)
    assert len(seen) <= 3
    assert layout.marks[500] in seen


def test_a_run_without_duration_has_the_minimum_width() -> None:
    (mark,) = make_layout([bar(0, 0)]).marks
    assert mark.right - mark.left == pytest.approx(MIN_MARK_WIDTH)


def test_the_width_of_a_long_run_is_its_duration() -> None:
    (mark,) = make_layout([bar(-600, 120)]).marks
    assert mark.right - mark.left == pytest.approx(120 * 60_000 / A_DAY_ON_1000_PIXELS)


def test_a_running_run_extends_to_now() -> None:
    (mark,) = make_layout([bar(-300, None, RunState.RUNNING)]).marks
    assert mark.right == pytest.approx(to_epoch_ms(NOW) / A_DAY_ON_1000_PIXELS)


def test_frequent_runs_become_numbered_clusters_spread_over_the_day() -> None:
    """One long mark would hide when a run failed."""
    bars = [bar(minute, 0.1, RunState.FAILED if minute == -300 else RunState.DONE) for minute in range(-720, 0, 5)]
    layout = make_layout(bars)
    assert len(layout.marks) > 8
    done = [mark for mark in layout.marks if mark.state is RunState.DONE]
    assert {len(mark.bars) for mark in done[:-1]} <= {11, 12}
    assert all(mark.right - mark.left < CLUSTER_WIDTH for mark in layout.marks)
    (failed,) = [mark for mark in layout.marks if mark.state is RunState.FAILED]
    assert [bar.id for bar in failed.bars] == ["-300+0.1"]


def test_each_state_has_its_own_mark() -> None:
    """One failure and eleven skips are not twelve failures."""
    skipped = [bar(minute, 0, RunState.SKIPPED) for minute in range(1, 12)]
    layout = make_layout([bar(0, 0, RunState.FAILED), *skipped])
    assert [(mark.state, len(mark.bars)) for mark in layout.marks] == [(RunState.FAILED, 1), (RunState.SKIPPED, 11)]
    assert [mark.row for mark in layout.marks] == [0, 1]


def test_zooming_in_separates_clusters() -> None:
    bars = [bar(minute, 0.1) for minute in range(-60, 0, 5)]
    assert len(make_layout(bars).marks) < len(bars)
    assert len(make_layout(bars, scale=10_000).marks) == len(bars)


def test_upcoming_runs_are_not_clustered_with_past_ones() -> None:
    layout = make_layout([bar(-5), bar(0), bar(5, None, RunState.COMING), bar(10, None, RunState.COMING)])
    assert [mark.state for mark in layout.marks] == [RunState.DONE, RunState.COMING]
    assert layout.rows == 2


def test_overlapping_runs_are_stacked_in_rows() -> None:
    layout = make_layout([bar(-600, 300), bar(-550, 300), bar(-500, 300)])
    assert [mark.row for mark in layout.marks] == [0, 1, 2]
    crowded = make_layout([bar(-600, 300), bar(-550, 300), bar(-500, 300), bar(-450, 300)])
    assert [len(mark.bars) for mark in crowded.marks] == [1, 1, 2]


def test_what_finds_no_row_joins_a_mark_of_its_state_or_else_the_last_which_shows_the_most_urgent() -> None:
    crowd = [bar(0, 0, RunState.SKIPPED), bar(1, 0, RunState.DONE), bar(2, 0, RunState.MISSED)]
    layout = make_layout([*crowd, bar(3, 0, RunState.FAILED)])
    assert [(mark.state, len(mark.bars)) for mark in layout.marks] == [
        (RunState.SKIPPED, 1),
        (RunState.DONE, 1),
        (RunState.FAILED, 2),
    ]
    long = [bar(-600, 300, RunState.SKIPPED), bar(-590, 300), bar(-580, 300, RunState.MISSED)]
    layout = make_layout([*long, bar(-570, 300)])
    assert [(mark.state, len(mark.bars)) for mark in layout.marks][1] == (RunState.DONE, 2)


def test_ticks_are_local_hours() -> None:
    start, end = local_day(NOW, BERLIN)
    ticks = find_ticks(start, end, BERLIN, 12)
    assert [tick.label for tick in ticks][:3] == ["00:00", "02:00", "04:00"]
    assert [tick.is_midnight for tick in ticks] == [True, *[False] * 11, True]


def test_a_quarter_hour_zone_has_round_hours() -> None:
    zone = ZoneInfo("Asia/Kathmandu")
    assert [tick.label for tick in find_ticks(*local_day(NOW, zone), zone, 8)][:2] == ["00:00", "03:00"]


@pytest.mark.parametrize(("day", "hours"), [((2026, 3, 29), 23), ((2026, 10, 25), 25), ((2026, 11, 16), 24)])
def test_a_day_with_a_clock_change_has_23_or_25_hours(day: tuple[int, int, int], hours: int) -> None:
    start, end = local_day(datetime(*day, 12, tzinfo=BERLIN), BERLIN)
    assert (end - start) / timedelta(hours=1) == hours
    labels = [tick.label for tick in find_ticks(start, end, BERLIN, 30)]
    assert len(labels) == hours + 1
    assert labels.count("02:00") == hours - 23


@given(st.integers(10, 7 * 24 * 60), st.integers(2, 30))
def test_there_are_never_too_many_labels(minutes: int, most: int) -> None:
    assert len(find_ticks(NOW, NOW + timedelta(minutes=minutes), BERLIN, most)) <= max(most, 8) + 2


@pytest.mark.parametrize(("number", "text"), [(2, "2"), (999, "999"), (1000, "1k"), (12_345, "12k"), (10**7, "99k")])
def test_a_count_has_at_most_three_characters(number: int, text: str) -> None:
    assert format_count(number) == text


def test_repeated_upcoming_runs_become_one_long_bar() -> None:
    [mark] = make_layout([bar(minute, None, RunState.COMING) for minute in range(1, 720)]).marks
    assert len(mark.bars) == 719
    assert mark.right - mark.left == pytest.approx(718 / 1.44 + MIN_MARK_WIDTH)
    apart = make_layout([bar(60 * hour, None, RunState.COMING) for hour in range(1, 12)]).marks
    assert len(apart) == 11, "with enough room each has its own mark"
