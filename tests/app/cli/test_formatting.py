"""Times, states and tables formatted for a terminal."""

from datetime import UTC, datetime, timedelta

import pytest

from app.cli import formatting
from app.cli.command_line import VERBS, add_folder_option, parser_of
from app.cli.connections import rewrite_field_options
from app.cli.formatting import format_duration, format_state, format_status, format_table, format_time
from scheduler.rules.phases import RunStatus


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting, "now", lambda: datetime.now(UTC).astimezone().replace(2026, 11, 16, 12, 0))


def here(text: str) -> str:
    """A local time as the API writes it."""
    return datetime.fromisoformat(text).astimezone().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-16T09:05:00", "09:05"),
        ("2026-11-16T09:05:07", "09:05:07"),
        ("2026-11-17T09:05:00", "Tue 17 Nov 09:05"),
        ("2027-01-01T00:00:00", "Fri 1 Jan 2027 00:00"),
    ],
)
def test_a_time_on_another_day_includes_the_day(text: str, expected: str) -> None:
    assert format_time(here(text)) == expected


def test_a_missing_time_is_replaced_by_the_given_text() -> None:
    assert (format_time(None), format_time(None, "never")) == ("", "never")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0, "< 0.1 s"),
        (0.1, "0.1 s"),
        (0.44, "0.4 s"),
        (12, "12 s"),
        (185, "3 min 5 s"),
        (4_800, "1 h 20 min"),
        (-5, "< 0.1 s"),
    ],
)
def test_durations_are_rounded_to_readable_units(seconds: float, expected: str) -> None:
    began = datetime(2026, 11, 16, tzinfo=UTC)
    ended = began + timedelta(seconds=seconds)
    assert format_duration(began.isoformat(), ended.isoformat()) == expected
    assert format_duration(began.isoformat(), None) == ""


def test_columns_are_aligned_and_long_cells_are_cut() -> None:
    lines = list(format_table(("A", "LONGER", "Z"), [("one", 2, "x\ny"), ("three", None, "w" * 100)]))
    assert lines[0] == "A      LONGER  Z"
    assert lines[1] == "one    2       x y"
    assert lines[2].endswith("w…") and len(lines[2]) == len("three          ") + 60


def test_every_status_has_a_plain_word() -> None:
    assert all(":" not in format_status(status.value) for status in RunStatus)
    assert format_state("needs-attention") == "Needs attention"


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        (["t:x", "--path", "a b.csv"], ["t:x", "--set=path=a b.csv"]),
        (["--path=a=b", "t:x"], ["--set=path=a=b", "t:x"]),
        (["t:x", "--json", "--data-dir", "d", "--set", "k=v"], ["t:x", "--json", "--data-dir", "d", "--set", "k=v"]),
        (["t:x", "--tls", "--port", "99"], ["t:x", "--set=tls=true", "--set=port=99"]),
        (["t:x", "--data-dir=d"], ["t:x", "--data-dir=d"]),
    ],
)
def test_connection_fields_are_rewritten_to_set_options(typed: list[str], read: list[str]) -> None:
    assert rewrite_field_options(typed) == read


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("First: dayhand stop backup", "First: dayhand stop --data-dir X backup"),
        ("dayhand attention lists them.", "dayhand attention --data-dir X lists them."),
        ("Start: dayhand, or dayhand --headless", "Start: dayhand --data-dir X, or dayhand --data-dir X --headless"),
        ("dayhand skip-next w", "dayhand skip-next --data-dir X w"),
        ("dayhand run --data-dir X w", "dayhand run --data-dir X w"),
        ("return dayhand.prepared(…)", "return dayhand.prepared(…)"),
        ("from dayhand import Topic", "from dayhand import Topic"),
        ("the dayhand folder", "the dayhand folder"),
    ],
)
def test_commands_to_type_name_the_data_folder_that_was_given(text: str, shown: str) -> None:
    assert add_folder_option(text, "--data-dir X") == shown
    assert add_folder_option(text, "") == text


@pytest.mark.parametrize("verb", VERBS)
def test_the_data_folder_is_named_in_the_commands_that_take_it(verb: str) -> None:
    takes_it = "--data-dir" in parser_of(verb).format_usage()
    assert ("--data-dir X" in add_folder_option(f"dayhand {verb}", "--data-dir X")) is takes_it


def test_an_interrupted_run_says_so_in_the_history() -> None:
    run = {"status": RunStatus.CRASHED, "error": None, "summary": None}
    assert formatting.describe_outcome(run) == "Dayhand quit while it was running."
    assert formatting.describe_outcome({**run, "summary": "Half of it"}) == "Half of it"
    assert formatting.describe_outcome({**run, "status": RunStatus.COMMITTED}) is None
