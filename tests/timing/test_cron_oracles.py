"""Cron expressions around clock changes, compared with Debian's cron and with cronsim."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from cronsim import CronSim

from scheduler.timing.compiled import PlannedTimes
from scheduler.timing.cron import parse_cron
from scheduler.timing.wall_times import WallTimeRule
from tests.timing.debian_cron import Job, Services

MINUTE = timedelta(minutes=1)
AROUND = timedelta(hours=30)
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour
    "Africa/Casablanca",  # back for Ramadan, then forth
    "America/St_Johns",  # half past the hour
    "Asia/Kathmandu",  # no change, three quarters past the hour
)
QUIET_DAYS = (datetime(2026, 3, 15, tzinfo=UTC), datetime(2026, 10, 15, tzinfo=UTC))

CLASSICS = (
    "* * * * *",
    "*/7 * * * *",
    "*/15 2 * * *",
    "0 * * * *",
    "30 * * * *",
    "0 */2 * * *",
    "30 */3 * * *",
    "0 0 * * *",
    "15 1 * * *",
    "30 2 * * *",
    "0 3 * * *",
    "5,35 1-3 * * *",
    "0 9 * * 1-5",
    "30 2 * * 0",
    "0 0 */2 * 1",
    "0 2 1,8,25,29 * 0",
    "59 23 * * 6,7",
)
# The windows of the table in which cronsim was measured: both changes of four zones, and UTC.
CLASSIC_ZONES = ("America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca")


RANGE_OF_ONE = re.compile(r"\b(\w+)-\1/")


@cache
def parsed(text: str) -> WallTimeRule:
    return parse_cron((text,))


@dataclass(frozen=True, slots=True)
class Window:
    """The hours around a clock change of a zone, and what Debian's cron does in them."""

    zone: ZoneInfo
    after: datetime
    until: datetime
    services: Services

    def __str__(self) -> str:
        return f"{self.zone.key}-{self.after + AROUND:%m-%d}"

    def debian(self, text: str) -> list[datetime]:
        return self.services.runs(Job.read(text))

    def ours(self, text: str) -> list[datetime]:
        return list(self.times(text).between(self.after, self.until))

    def times(self, text: str) -> PlannedTimes:
        return PlannedTimes(rule=parsed(text), zone=self.zone)

    def cronsim(self, text: str) -> list[datetime]:
        times = []
        for local in CronSim(text, self.after.astimezone(self.zone)):
            at = local.astimezone(UTC)
            if at > self.until:
                break
            times.append(at)
        return times


def changes(zone: ZoneInfo) -> list[datetime]:
    """The first minute after each offset change in 2026."""
    first = datetime(2026, 1, 1, tzinfo=UTC)
    hours = [first + timedelta(hours=n) for n in range(365 * 24)]
    offsets = [hour.astimezone(zone).utcoffset() for hour in hours]
    instants = []
    for hour, before, after in zip(hours, offsets, offsets[1:], strict=False):
        if before != after:
            minutes = (hour + n * MINUTE for n in range(1, 61))
            instants.append(next(at for at in minutes if at.astimezone(zone).utcoffset() == after))
    return instants


def windows(*names: str) -> list[Window]:
    return [
        Window(zone, at - AROUND, at + AROUND, Services.between(at - AROUND, at + AROUND, zone))
        for zone in map(ZoneInfo, names)
        for at in changes(zone) or QUIET_DAYS
    ]


WINDOWS = windows(*ZONES)
CLASSIC_WINDOWS = [*windows(*CLASSIC_ZONES), windows("UTC")[0]]


def texts(number: int) -> Iterator[str]:
    """Cron expressions of every shape, most of them in the small hours when clocks change."""
    chance = random.Random(20260329)
    for _ in range(number):
        yield " ".join(
            (
                field(chance, 0, 59, stars=0.2, steps=(5, 7, 10, 15, 20, 30)),
                field(chance, *chance.choice(((0, 4), (0, 4), (0, 4), (0, 23))), stars=0.3, steps=(2, 3, 4)),
                field(chance, 1, 31, stars=0.6, steps=(2, 3, 5)),
                chance.choice(("*", "*", "*", "*/2", "2-4,10,11", "mar,oct", "1-12/3,3")),
                field(chance, 0, 7, stars=0.6, steps=(2, 3)),
            )
        )


def field(chance: random.Random, low: int, high: int, *, stars: float, steps: tuple[int, ...]) -> str:
    if chance.random() < stars:
        return chance.choice(("*", "*", f"*/{chance.choice(steps)}", f"*/{chance.choice(steps)},{high}"))
    items = []
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        first = chance.randint(low, high)
        last = min(high, first + chance.randint(0, 10))
        step = f"/{chance.choice(steps)}" if chance.random() < 0.5 else ""
        items.append(chance.choice((str(first), str(first), f"{first}-{last}{step}")))
    return ",".join(items)


TEXTS = list(dict.fromkeys(texts(560)))


def test_every_zone_has_at_least_two_windows_and_the_changes_are_those_of_2026() -> None:
    assert [str(at) for at in changes(ZoneInfo("Europe/Berlin"))] == [
        "2026-03-29 01:00:00+00:00",
        "2026-10-25 01:00:00+00:00",
    ]
    assert [str(at) for at in changes(ZoneInfo("America/New_York"))] == [
        "2026-03-08 07:00:00+00:00",
        "2026-11-01 06:00:00+00:00",
    ]
    assert len(WINDOWS) >= 2 * len(ZONES)  # newer zone data may have more
    assert len(CLASSIC_WINDOWS) * len(CLASSICS) >= 153


def test_there_are_many_random_expressions_of_both_kinds() -> None:
    jobs = [Job.read(text) for text in TEXTS]
    assert len(jobs) >= 500
    assert sum(job.is_wildcard for job in jobs) > 150
    assert sum(not job.is_wildcard for job in jobs) > 150
    assert sum(not job.needs_both_days for job in jobs) > 50


@pytest.mark.parametrize("text", CLASSICS)
@pytest.mark.parametrize("window", CLASSIC_WINDOWS, ids=str)
def test_a_classic_expression_runs_when_debian_runs_it(text: str, window: Window) -> None:
    assert window.ours(text) == window.debian(text)


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_any_expression_runs_when_debian_runs_it(window: Window) -> None:
    assert [text for text in TEXTS if window.ours(text) != window.debian(text)] == []


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_repeated_after_gives_the_same_times_as_between(window: Window) -> None:
    def one_by_one(text: str) -> Iterator[datetime]:
        times, at = window.times(text), window.after
        while (at := times.after(at)) is not None and at <= window.until:
            yield at

    assert [text for text in TEXTS[::2] if list(one_by_one(text)) != window.ours(text)] == []


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_cronsim_differs_from_debian_only_in_lord_howe(window: Window) -> None:
    differing = [
        text for text in TEXTS if not RANGE_OF_ONE.search(text) and window.cronsim(text) != window.debian(text)
    ]
    assert bool(differing) is (window.zone.key == "Australia/Lord_Howe"), differing


def test_cronsim_differs_from_debian_in_a_stepped_range_of_one() -> None:
    """It reads `3-3/20` as `3-59/20`, in any zone."""
    quiet = WINDOWS[-1]
    assert quiet.cronsim("3-3/20 4 * * *") == quiet.debian("3,23,43 4 * * *")
    assert quiet.ours("3-3/20 4 * * *") == quiet.debian("3-3/20 4 * * *") == quiet.debian("3 4 * * *")


def test_cronsim_differs_from_debian_in_four_classic_cases() -> None:
    """Any other number means that cronsim or the reference has changed."""
    differing = {
        (str(window), text)
        for window in CLASSIC_WINDOWS
        for text in CLASSICS
        if window.cronsim(text) != window.debian(text)
    }
    assert differing == {
        ("Australia/Lord_Howe-04-04", "*/15 2 * * *"),
        ("Australia/Lord_Howe-04-04", "0 */2 * * *"),
        ("Australia/Lord_Howe-04-04", "30 * * * *"),
        ("Australia/Lord_Howe-10-03", "30 * * * *"),
    }
