"""Preferences survive a restart, a damaged file and another version."""

import json
from datetime import time, timedelta
from pathlib import Path

import pytest

from app.data.preferences import (
    FILE,
    Preferences,
    PreferencesError,
    read_preferences,
    save_preferences,
    set_aside_damaged,
)
from app.data.saved_settings import SavedSettings
from app.theme.tokens import Appearance
from scheduler.engine.fixer_config import FixerConfig, FixerKind
from scheduler.engine.setting_values import SETTINGS
from scheduler.engine.settings import Settings
from scheduler.rules.report_periods import ReportInterval
from scheduler.timing.jitter import Jitter
from scheduler.timing.policies import Catchup, Overlap

PREFERENCES = Preferences(
    concurrency=8,
    overlap_jobs=Overlap.BUFFER_ONE,
    catchup=Catchup.NONE,
    keep_days=0,
    is_quiet=True,
    quiet_from=time(23, 30),
    quiet_until=time(6),
    approvals_pass=True,
    notices=False,
    appearance=Appearance.DARK,
    fixer=FixerConfig(kind=FixerKind.SERVER, url="http://localhost:1/v1", model="m", has_key=True, applies=True),
)


def test_saved_preferences_are_read_again(tmp_path: Path) -> None:
    save_preferences(tmp_path, PREFERENCES)
    assert read_preferences(tmp_path) == PREFERENCES
    assert [one.name for one in tmp_path.iterdir()] == [FILE]


def test_without_a_file_the_defaults_apply(tmp_path: Path) -> None:
    assert read_preferences(tmp_path) == Preferences()


@pytest.mark.parametrize("text", ["", "{", "[1]", "null", '"dark"'])
def test_an_invalid_file_counts_as_missing(tmp_path: Path, text: str) -> None:
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
        ("overlap_jobs", "sometimes"),
        ("overlap_producers", "allow_all"),
        ("jitter", "2d"),
        ("jitter", 30),
        ("lookahead", "0s"),
        ("catchup_per_tick", 0),
        ("buffer_limit", 10_001),
        ("quiet_from", 22),
        ("quiet_from", "25:00"),
        ("is_quiet", 1),
        ("appearance", None),
    ],
)
def test_one_invalid_value_does_not_affect_the_others(tmp_path: Path, name: str, value: object) -> None:
    (tmp_path / FILE).write_text(json.dumps({**PREFERENCES.to_json(), name: value}), encoding="utf-8")
    preferences = read_preferences(tmp_path)
    assert getattr(preferences, name) == getattr(Preferences(), name)
    assert preferences.catchup is Catchup.NONE


@pytest.mark.parametrize("written", [b'{"keep_days": 0', b"\xff\xfe", b"[]", b""])
def test_a_damaged_file_is_kept_and_reported(tmp_path: Path, written: bytes) -> None:
    """The user may want to recover values, such as keeping history for ever."""
    (tmp_path / FILE).write_bytes(written)
    message = set_aside_damaged(tmp_path)
    assert message.startswith("Your settings could not be read")
    assert message.endswith(f"{tmp_path / FILE}-damaged.")
    assert (tmp_path / f"{FILE}-damaged").read_bytes() == written
    assert set_aside_damaged(tmp_path) == ""


def test_a_valid_file_is_not_renamed(tmp_path: Path) -> None:
    save_preferences(tmp_path, Preferences(keep_days=0))
    assert set_aside_damaged(tmp_path) == ""
    assert read_preferences(tmp_path).keep_days == 0


def test_keys_of_a_newer_version_are_preserved(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"sound": "bell", "concurrency": 2}', encoding="utf-8")
    save_preferences(tmp_path, PREFERENCES)
    written = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    assert written["sound"] == "bell" and written["concurrency"] == 8


def test_a_failed_save_is_reported_with_the_reason(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(PreferencesError, match=r"could not be saved.*: No such file or directory"):
        save_preferences(gone, PREFERENCES)


def test_the_preferences_apply_to_the_engine() -> None:
    settings = PREFERENCES.apply_to(Settings())
    assert (settings.concurrency, settings.catchup) == (8, Catchup.NONE)
    assert settings.overlap == {"job": Overlap.BUFFER_ONE, "producer": Overlap.BUFFER_ONE}


def test_the_overlap_of_an_earlier_version_is_kept(tmp_path: Path) -> None:
    """It had only one, for jobs."""
    (tmp_path / FILE).write_text('{"overlap": "buffer_all"}', encoding="utf-8")
    assert read_preferences(tmp_path).overlap_jobs is Overlap.BUFFER_ALL
    assert SavedSettings(tmp_path).read()["overlap_jobs"] == "buffer_all"
    save_preferences(tmp_path, Preferences(overlap_jobs=Overlap.SKIP))
    assert read_preferences(tmp_path).overlap_jobs is Overlap.SKIP


def test_every_setting_reaches_the_engine_and_has_the_engines_default(tmp_path: Path) -> None:
    assert Preferences().apply_to(Settings()) == Settings() == SavedSettings(tmp_path).apply_to(Settings())
    chosen = {
        "concurrency": 2,
        "overlap_jobs": "buffer_all",
        "overlap_producers": "skip",
        "catchup": "spread",
        "jitter": "+30s",
        "lookahead": "5m",
        "catchup_per_tick": 7,
        "buffer_limit": 8,
        "keep_days": 9,
        "writes_metrics": True,
        "ping": "ping:dayhand",
        "ping_every": "15m",
        "report": "weekly",
        "report_connection": "smtp:home",
        "report_to": "me@example.org",
        "metrics_folder": "~/metrics",
    }
    assert chosen.keys() == SETTINGS.keys()
    (tmp_path / FILE).write_text(json.dumps(chosen), encoding="utf-8")
    expected = Settings(
        concurrency=2,
        overlap={"job": Overlap.BUFFER_ALL, "producer": Overlap.SKIP},
        catchup=Catchup.SPREAD,
        jitter=Jitter(timedelta(seconds=30), only_later=True),
        lookahead=timedelta(minutes=5),
        catchup_per_tick=7,
        buffer_limit=8,
        kept=timedelta(days=9),
        ping="ping:dayhand",
        ping_every=timedelta(minutes=15),
        report=ReportInterval.WEEKLY,
        report_connection="smtp:home",
        report_to="me@example.org",
    )
    assert SavedSettings(tmp_path).apply_to(Settings()) == expected == read_preferences(tmp_path).apply_to(Settings())


def test_quiet_hours_exist_only_if_they_are_on() -> None:
    assert Preferences().quiet_hours is None
    quiet = PREFERENCES.quiet_hours
    assert quiet is not None and (quiet.start, quiet.end, quiet.approvals_pass) == (time(23, 30), time(6), True)


def test_the_fixer_applies_to_the_engine_and_is_off_on_another_computer() -> None:
    assert PREFERENCES.apply_to(Settings()).fixer is PREFERENCES.fixer
    moved = PREFERENCES.for_other_computer().fixer
    assert (moved.kind, moved.has_key, moved.model) == (FixerKind.OFF, False, "m")


def test_no_metrics_are_written_on_another_computer() -> None:
    """A folder there may be another one, or belong to somebody else."""
    moved = Preferences(writes_metrics=True, metrics_folder="/srv/metrics").for_other_computer()
    assert (moved.writes_metrics, moved.metrics_folder) == (False, "")
