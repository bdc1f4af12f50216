"""The description of a mark: workflow, state, time, duration and summary."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.i18n.state_labels import RunState, run_state_label
from app.widgets.timeline_labels import describe_mark
from app.widgets.timeline_layout import TimelineBar, TimelineLane, TimelineMark, lay_out, sort_bars

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
LANE = TimelineLane(id="w", title="Receipts")


def bar(state: RunState, minutes: float = -60, length: float | None = 0, words: str = "") -> TimelineBar:
    start = NOW + timedelta(minutes=minutes)
    end = None if length is None else start + timedelta(minutes=length)
    return TimelineBar(id=f"{minutes}", lane="w", start=start, end=end, state=state, text=words)


def describe_bars(*bars: TimelineBar) -> list[str]:
    layout = lay_out(sort_bars(bars), scale=10_000_000, now=NOW)
    (mark,) = layout.marks
    return describe_mark(LANE, mark, zone=BERLIN, now=NOW).split("\n")


def test_a_run_has_time_duration_and_summary() -> None:
    assert describe_bars(bar(RunState.DONE, -240, 12.5, "Filed 3 receipts")) == [
        "Receipts",
        "Done · today 09:00 to 09:12:30",
        "Took 12 min 30 s",
        "Filed 3 receipts",
    ]


def test_a_short_run_has_one_time() -> None:
    assert describe_bars(bar(RunState.DONE, -240, 0.01)) == ["Receipts", "Done · today 09:00", "Took 0.6 s"]


def test_a_skipped_run_has_a_reason_and_no_duration() -> None:
    assert describe_bars(bar(RunState.SKIPPED, -240, 0, "The previous run was still running.")) == [
        "Receipts",
        "Skipped · today 09:00",
        "The previous run was still running.",
    ]


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.WAITING, RunState.RETRYING])
def test_an_unfinished_run_has_its_start(state: RunState) -> None:
    assert describe_bars(bar(state, -240, None)) == ["Receipts", f"{run_state_label(state)} · since today 09:00"]


def test_an_upcoming_run_has_its_time() -> None:
    assert describe_bars(bar(RunState.COMING, 24 * 60, None)) == ["Receipts", "Upcoming · tomorrow 13:00"]


def test_a_cluster_counts_states_most_urgent_first() -> None:
    bars = [bar(RunState.DONE, minutes, 0.1) for minutes in range(-60, -10, 5)]
    bars = sorted([*bars, bar(RunState.FAILED, -32, 0.1), bar(RunState.SKIPPED, -31, 0)], key=lambda one: one.start)
    mark = TimelineMark(left=0, right=1, bars=bars, state=RunState.FAILED)
    description = describe_mark(LANE, mark, zone=BERLIN, now=NOW).splitlines()
    assert description == ["Receipts", "12 runs: 1 failed, 1 skipped, 10 done", "today 12:00 to 12:45:06"]


@pytest.mark.parametrize("state", RunState)
def test_every_state_has_a_description(state: RunState) -> None:
    mark = TimelineMark(left=0, right=1, bars=[bar(state)], state=state)
    assert run_state_label(state) in describe_mark(LANE, mark, zone=BERLIN, now=NOW)
