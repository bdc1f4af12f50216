"""Specs: reading, validation, writing and comparison."""

import json
from dataclasses import replace
from typing import Any

import pytest

from scheduler.timing.spec import ScheduleKind, ScheduleSpec
from tests.timing.schedule_builders import NOW, refused_with, spec, utc

FULL: tuple[dict[str, Any], ...] = (
    {"every": "90m", "anchor": "2026-01-01T00:00:30Z"},
    {"every": "1.5h", "jitter": "+30s", "limit": 3},
    {"cron": "0 9 * * 1-5", "timezone": "Europe/Berlin"},
    {"cron": ["0  9 * * 1-5", " @daily "], "timezone": "local", "exclude": "2026-12-24"},
    {
        "cron": "0 9 * * *",
        "exclude": ["2026-12-24/2027-01-01", {"weekday": ["sat", "sun"]}, {"hour": {"start": 1, "end": 5}}],
    },
    {"calendar": {"hour": 18, "day": "last"}, "start_at": "2026-06-01", "end_at": "2026-12-31"},
    {"calendar": [{"hour": [9, 18]}, {"minute": "*/20", "weekday": "sat"}], "jitter": "5m"},
    {"once": "2026-06-01T09:00", "timezone": "America/New_York"},
)


@pytest.mark.parametrize("written", FULL, ids=str)
def test_a_written_spec_is_read_back_unchanged(written: dict[str, Any]) -> None:
    """Through JSON, years later, and on a machine in another zone."""
    first = spec("Europe/Berlin", **written)
    stored = json.loads(json.dumps(first.write()))
    again = ScheduleSpec.read(stored, machine_zone="Pacific/Apia", now=utc("2031-01-01 00:00"))
    assert again == first
    assert again.write() == first.write()
    assert again.compile("Europe/Berlin").upcoming(NOW, 20) == first.compile("Europe/Berlin").upcoming(NOW, 20)


def test_the_zone_defaults_to_the_machines_zone_at_creation() -> None:
    assert spec("Europe/Berlin", cron="0 9 * * *").timezone == "Europe/Berlin"
    assert spec("Europe/Berlin", cron="0 9 * * *", timezone=None).timezone == "Europe/Berlin"
    assert spec("Europe/Berlin", cron="0 9 * * *", timezone="UTC").timezone == "UTC"


def test_a_local_schedule_follows_the_machine_and_a_fixed_one_does_not() -> None:
    follows = spec("Europe/Berlin", cron="0 9 * * *", timezone="local")
    assert follows.compile("Europe/Berlin").after(NOW) == utc("2026-01-01 08:00")
    assert follows.compile("America/New_York").after(NOW) == utc("2026-01-01 14:00")
    stays = spec("Europe/Berlin", cron="0 9 * * *")
    assert stays.compile("America/New_York").after(NOW) == utc("2026-01-01 08:00")


def test_an_unknown_machine_zone_is_refused() -> None:
    assert refused_with(machine_zone="Mars/Olympus", cron="0 9 * * *").field == "timezone"


def test_the_anchor_survives_edits_that_do_not_change_the_times() -> None:
    first = spec(every="5m", now=utc("2026-01-01 10:02"))
    edited = ScheduleSpec.read(
        first.write() | {"limit": 3, "jitter": "30s"}, machine_zone="UTC", now=utc("2026-02-02 00:00")
    )
    assert edited.anchor == utc("2026-01-01 10:02")
    assert edited.has_same_times(first)


@pytest.mark.parametrize(
    "changed",
    [
        {"every": "6m"},
        {"anchor": "2026-01-01T00:01Z"},
        {"start_at": "2026-02-01"},
        {"end_at": "2026-02-01"},
        {"exclude": "2026-02-01"},
        {"timezone": "Europe/Berlin"},
    ],
    ids=str,
)
def test_a_change_of_the_times_is_noticed(changed: dict[str, Any]) -> None:
    written = {"every": "5m", "anchor": "2026-01-01T00:00Z", "timezone": "UTC"}
    assert not spec(**written).has_same_times(spec(**written | changed))


def test_whitespace_in_an_expression_does_not_matter() -> None:
    assert spec(cron=" 0  9 * * 1-5 ") == spec(cron="0 9 * * 1-5") == spec(cron=["0 9 * * 1-5"])


def test_a_spec_does_not_change_with_its_input() -> None:
    parts = {"hour": [9]}
    read = spec(calendar=parts)
    parts["hour"].append(10)
    assert read == spec(calendar={"hour": [9]})


@pytest.mark.parametrize("kind", ScheduleKind)
def test_each_kind_is_recognized(kind: ScheduleKind) -> None:
    written = {"every": "1h", "cron": "0 9 * * *", "calendar": {"hour": 9}, "once": "2026-06-01"}
    read = spec(**{kind.value: written[kind]})
    assert read.kind is kind
    assert read == replace(read)


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"timezone": "UTC"},
        {"every": "1h", "cron": "0 9 * * *"},
        {"cron": "0 9 * * *", "calendar": {"hour": 9}},
        {"once": "2026-06-01", "every": None},
    ],
    ids=str,
)
def test_anything_but_exactly_one_kind_is_refused(written: dict[str, Any]) -> None:
    assert refused_with(**written).field == "schedule"


@pytest.mark.parametrize("kind", ["every", "cron", "calendar", "once"])
def test_a_kind_without_a_value_is_refused(kind: str) -> None:
    assert refused_with(**{kind: None}).field == kind


@pytest.mark.parametrize("name", ["evry", "Cron", "tz", "start", "", "limit "])
def test_an_unknown_setting_is_refused_by_its_name(name: str) -> None:
    assert refused_with(every="1h", **{name: 1}).field == name


def test_only_an_interval_has_an_anchor() -> None:
    assert refused_with(cron="0 9 * * *", anchor="2026-01-01").field == "anchor"


def test_an_end_before_the_start_is_refused() -> None:
    error = refused_with(every="1h", start_at="2026-06-02", end_at="2026-06-01")
    assert error.field == "end_at" and "start_at" in error.sentence
    assert spec(every="1h", start_at="2026-06-01T09:00Z", end_at="2026-06-01T09:00Z").end_at == utc("2026-06-01 09:00")


@pytest.mark.parametrize("limit", [0, -1, 1.5, 3.0, "3", True, False, [], {}])
def test_an_invalid_limit_is_refused(limit: object) -> None:
    assert refused_with(every="1h", limit=limit).field == "limit"


def test_a_limit_is_kept() -> None:
    assert spec(every="1h", limit=1).limit == 1
    assert spec(every="1h", limit=None).limit is None
