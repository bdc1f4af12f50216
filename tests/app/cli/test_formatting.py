"""Times and tables as they read in a terminal."""

from datetime import UTC, datetime, timedelta

import pytest

from app.verbs import human
from app.verbs.connecting import name_fields
from app.verbs.human import say_length, say_state, say_status, say_time, table
from scheduler.rules.phases import Status


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(human, "now", lambda: datetime.now(UTC).astimezone().replace(2026, 11, 16, 12, 0))


def here(text: str) -> str:
    """An instant of this machine's zone, as the app writes it."""
    return datetime.fromisoformat(text).astimezone().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-11-16T09:05:00", "09:05"),
        ("2026-11-16T09:05:07", "09:05:07"),
        ("2026-11-17T09:05:00", "Tue 17 Nov 09:05"),
        ("2027-01-01T00:00:00", "Fri 1 Jan 2027 00:00"),
    ],
)
def test_a_time_says_its_day_where_it_is_another_one(text: str, said: str) -> None:
    assert say_time(here(text)) == said


def test_no_time_is_said_as_wanted() -> None:
    assert (say_time(None), say_time(None, "never")) == ("", "never")


@pytest.mark.parametrize(
    ("seconds", "said"),
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
def test_a_length(seconds: float, said: str) -> None:
    began = datetime(2026, 11, 16, tzinfo=UTC)
    ended = began + timedelta(seconds=seconds)
    assert say_length(began.isoformat(), ended.isoformat()) == said
    assert say_length(began.isoformat(), None) == ""


def test_columns_are_aligned_and_long_cells_are_cut() -> None:
    lines = list(table(("A", "LONGER", "Z"), [("one", 2, "x\ny"), ("three", None, "w" * 100)]))
    assert lines[0] == "A      LONGER  Z"
    assert lines[1] == "one    2       x y"
    assert lines[2].endswith("w…") and len(lines[2]) == len("three          ") + 60


def test_every_status_has_a_word_that_people_use() -> None:
    assert all(":" not in say_status(status.value) for status in Status)
    assert say_state("needs-attention") == "Needs attention"


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
def test_the_fields_of_a_connection_are_options(typed: list[str], read: list[str]) -> None:
    assert name_fields(typed) == read
