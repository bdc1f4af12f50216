"""What the person chose survives a restart, a broken file and another version."""

import json
from datetime import time
from pathlib import Path

import pytest

from app.keeping.preferences import (
    FILE,
    Preferences,
    PreferencesError,
    keep_preferences,
    read_preferences,
    set_aside_damaged,
)
from app.look.theme import Appearance
from scheduler.engine.fixing.choice import FixerChoice, FixerKind
from scheduler.engine.settings import Settings
from scheduler.timing.policies import Catchup, Overlap

CHOSEN = Preferences(
    concurrency=8,
    overlap=Overlap.BUFFER_ONE,
    catchup=Catchup.NONE,
    keep_days=0,
    is_quiet=True,
    quiet_from=time(23, 30),
    quiet_until=time(6),
    approvals_pass=True,
    notices=False,
    appearance=Appearance.DARK,
    fixer=FixerChoice(kind=FixerKind.SERVER, url="http://localhost:1/v1", model="m", has_key=True, applies=True),
)


def test_what_was_chosen_is_read_again(tmp_path: Path) -> None:
    keep_preferences(tmp_path, CHOSEN)
    assert read_preferences(tmp_path) == CHOSEN
    assert [one.name for one in tmp_path.iterdir()] == [FILE]


def test_without_a_file_everything_is_as_usual(tmp_path: Path) -> None:
    assert read_preferences(tmp_path) == Preferences()


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"dark"'])
def test_a_file_that_makes_no_sense_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    assert read_preferences(tmp_path) == Preferences()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("concurrency", 0),
        ("concurrency", 10_000),
        ("concurrency", "4"),
        ("concurrency", True),
        ("keep_days", -1),
        ("overlap", "sometimes"),
        ("quiet_from", 22),
        ("quiet_from", "25:00"),
        ("is_quiet", 1),
        ("appearance", None),
    ],
)
def test_one_bad_value_does_not_take_the_others_with_it(tmp_path: Path, name: str, value: object) -> None:
    (tmp_path / FILE).write_text(json.dumps({**CHOSEN.write(), name: value}), encoding="utf-8")
    found = read_preferences(tmp_path)
    assert getattr(found, name) == getattr(Preferences(), name)
    assert found.catchup is Catchup.NONE


@pytest.mark.parametrize("written", [b'{"keep_days": 0', b"\xff\xfe", b"[]", b""])
def test_a_file_that_nobody_can_read_is_kept_and_said(tmp_path: Path, written: bytes) -> None:
    """What was chosen there, such as to keep everything for ever, may be wanted back."""
    (tmp_path / FILE).write_bytes(written)
    said = set_aside_damaged(tmp_path)
    assert said.startswith("Your settings could not be read")
    assert said.endswith(f"{tmp_path / FILE}-damaged.")
    assert (tmp_path / f"{FILE}-damaged").read_bytes() == written
    assert set_aside_damaged(tmp_path) == ""


def test_a_file_that_can_be_read_stays_where_it_is(tmp_path: Path) -> None:
    keep_preferences(tmp_path, Preferences(keep_days=0))
    assert set_aside_damaged(tmp_path) == ""
    assert read_preferences(tmp_path).keep_days == 0


def test_what_a_newer_version_keeps_stays(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"sound": "bell", "concurrency": 2}', encoding="utf-8")
    keep_preferences(tmp_path, CHOSEN)
    written = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    assert written["sound"] == "bell" and written["concurrency"] == 8


def test_that_they_cannot_be_kept_is_said_with_the_reason(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(PreferencesError, match="could not be kept: No such file or directory"):
        keep_preferences(gone, CHOSEN)


def test_the_engine_goes_by_what_was_chosen() -> None:
    settings = CHOSEN.settle(Settings())
    assert (settings.concurrency, settings.catchup) == (8, Catchup.NONE)
    assert settings.overlap == {"job": Overlap.BUFFER_ONE, "producer": Overlap.BUFFER_ONE}


def test_quiet_hours_exist_only_if_they_are_wanted() -> None:
    assert Preferences().quiet_hours is None
    quiet = CHOSEN.quiet_hours
    assert quiet is not None and (quiet.start, quiet.end, quiet.approvals_pass) == (time(23, 30), time(6), True)


def test_the_engine_follows_who_repairs_and_another_computer_asks_nobody_before_the_person_says_so() -> None:
    assert CHOSEN.settle(Settings()).fixer is CHOSEN.fixer
    arrived = CHOSEN.arrive().fixer
    assert (arrived.kind, arrived.has_key, arrived.model) == (FixerKind.OFF, False, "m")
