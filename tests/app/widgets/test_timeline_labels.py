"""What a mark says when one points at it: whose, in which state, when, how long, and its sentence."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from app.widgets.timeline_layout import Bar, Lane, Mark, lay_out, time_bars
from app.widgets.timeline_words import describe
from app.words.states import RunState, say_run

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)
LANE = Lane(id="w", title="Receipts")


def bar(state: RunState, minutes: float = -60, length: float | None = 0, words: str = "") -> Bar:
    start = NOW + timedelta(minutes=minutes)
    end = None if length is None else start + timedelta(minutes=length)
    return Bar(id=f"{minutes}", lane="w", start=start, end=end, state=state, words=words)


def say(*bars: Bar) -> list[str]:
    layout = lay_out(time_bars(bars), scale=10_000_000, now=NOW)
    (mark,) = layout.marks
    return describe(LANE, mark, zone=BERLIN, now=NOW).split("\n")


def test_a_run_says_when_and_how_long_it_was_and_what_it_did() -> None:
    assert say(bar(RunState.DONE, -240, 12.5, "Filed 3 receipts")) == [
        "Receipts",
        "Done · today 09:00 to 09:12:30",
        "Took 12 min 30 s",
        "Filed 3 receipts",
    ]


def test_a_short_run_says_one_time() -> None:
    assert say(bar(RunState.DONE, -240, 0.01)) == ["Receipts", "Done · today 09:00", "Took 0.6 s"]


def test_what_did_not_run_has_no_length_but_a_reason() -> None:
    assert say(bar(RunState.SKIPPED, -240, 0, "The run before it was still going.")) == [
        "Receipts",
        "Skipped · today 09:00",
        "The run before it was still going.",
    ]


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.WAITING, RunState.RETRYING])
def test_what_goes_on_says_since_when(state: RunState) -> None:
    assert say(bar(state, -240, None)) == ["Receipts", f"{say_run(state)} · since today 09:00"]


def test_what_comes_says_when() -> None:
    assert say(bar(RunState.COMING, 24 * 60, None)) == ["Receipts", "Coming · tomorrow 13:00"]


def test_several_are_counted_by_state_the_worst_first() -> None:
    bars = [bar(RunState.DONE, minutes, 0.1) for minutes in range(-60, -10, 5)]
    said = say(*bars, bar(RunState.FAILED, -32, 0.1), bar(RunState.SKIPPED, -31, 0))
    assert said == ["Receipts", "12 times: 1 failed, 1 skipped, 10 done", "today 12:00 to 12:45:06"]


@pytest.mark.parametrize("state", RunState)
def test_every_state_can_be_said(state: RunState) -> None:
    mark = Mark(left=0, right=1, bars=[bar(state)], state=state)
    assert say_run(state) in describe(LANE, mark, zone=BERLIN, now=NOW)
