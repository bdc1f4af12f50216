"""systemd's calendar expressions, compared with systemd itself where it is installed."""

import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from scheduler.job_import.on_calendar import NotCalendarError, OnCalendar, to_schedule
from scheduler.timing.spec import ScheduleSpec

AFTER = datetime(2026, 3, 27, 12, tzinfo=UTC)
ZONE = "Europe/Berlin"
EXPRESSIONS = [
    "minutely",
    "hourly",
    "daily",
    "weekly",
    "monthly",
    "quarterly",
    "semiannually",
    "yearly",
    "annually",
    "semi-annually",
    "biannually",
    "daily UTC",
    "Weekly Pacific/Auckland",
    "*-*-* 04:00:00",
    "03:15",
    "Mon 06:00",
    "Mon..Fri 09:00",
    "Mon-Fri 09:00",
    "Sat,Sun 10:30",
    "Mon,Wed..Fri 12:00",
    "monday 08:00",
    "*-*-01 00:00",
    "*-*-1,15 12:00",
    "*-01..03-01 00:00",
    "*:0/15",
    "*:00/20:00",
    "*-*-* *:30:00",
    "*-*-* 8..18:00",
    "*-*-* 0/6:00:00",
    "*-*-* 08..20/4:00",
    "Mon *-*-1..7 09:00",
    "Fri *-*-13 12:00",
    "*-*~1 18:00",
    "12-24 16:00",
    "2027-01-01 00:00:00",
    "*-2-29 12:00",
    "*-*-* 02:30:00",
    "*-*-* 02:30:00 UTC",
    "09:00 America/New_York",
    "Sun *-*-* 03:00:30",
    "2027..2030-06-01 00:00",
    "*-*-2/7 05:00",
    "27-02-03 05:00",
    "28..69-02-03 05:00",
]
OVER = ["99-01-01 00:00", "70-06-01"]
"""Two digits of a year from 70 on are in the last century."""
REFUSED = [
    "someday 09:00", "25:00", "*-13-01", "09:00 Mars/Base", "1-2-3-4", "*:*:*:*", "a:b", "*-*-*/0", "Fri..Mon 09:00",
    "Sun-Mon", "Tue..Mon", "Mon.. 09:00", "Mon,,Tue 09:00", "Mon..Wed..Fri 09:00", "*-*-* 22..6:00",
]  # fmt: skip
"""Expressions that systemd refuses too."""
LEFT = ["*-*~3 18:00", *REFUSED]


def ours(text: str) -> list[datetime]:
    return list(islice(OnCalendar.read(text).times(AFTER, ZoneInfo(ZONE)), 10))


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here to be asked")
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_the_old_times_are_those_of_systemd(text: str) -> None:
    """Around the clock change in spring: skipped times do not run."""
    output = subprocess.run(
        ["systemd-analyze", "calendar", "--iterations=10", f"--base-time={AFTER:%Y-%m-%d %H:%M:%S} UTC", text],
        env={**os.environ, "TZ": ZONE, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    both = re.findall(r"(?:elapse|#\d+): \w+ (\S+ \S+) (\S+)(?:\n +\(in UTC\): \w+ (\S+ \S+))?", output)
    times = [datetime.fromisoformat(utc or local).replace(tzinfo=UTC) for local, _, utc in both]
    assert ours(text) == times


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_our_calendar_has_the_same_times(text: str) -> None:
    """Away from clock changes, where our calendar runs skipped times right after the gap."""
    read = OnCalendar.read(text)
    after = datetime(2026, 4, 2, 7, 30, tzinfo=UTC)
    written = {"calendar": read.calendar(), "timezone": read.timezone or ZONE}
    new = ScheduleSpec.read(written, machine_zone=ZONE, now=after).compile(ZONE).upcoming(after, 5)
    assert new == list(islice(read.times(after, ZoneInfo(ZONE)), 5))


@pytest.mark.parametrize("text", ["*:17", "hourly", "*-*-* *:0/20:30", "Sun *:05", "2026..2028-*-* *:30", "*-*~1 *:10"])
def test_an_hourly_timer_does_not_run_right_after_the_skipped_hour(text: str) -> None:
    """As in systemd: no time is lost, since the next one comes within the hour."""
    read = OnCalendar.read(text)
    after = datetime(2026, 3, 28, 22, 30, tzinfo=UTC)
    written = {**to_schedule([read]), "timezone": ZONE}
    new = ScheduleSpec.read(written, machine_zone=ZONE, now=after).compile(ZONE).upcoming(after, 10)
    assert new == list(islice(read.times(after, ZoneInfo(ZONE)), 10))


def test_a_timer_with_an_hour_or_with_a_day_and_a_weekday_is_a_calendar() -> None:
    assert [*to_schedule([OnCalendar.read("09:00"), OnCalendar.read("*:17")])] == ["calendar"]
    assert [*to_schedule([OnCalendar.read("Mon *-*-01..07 *:17")])] == ["calendar"]
    assert to_schedule([OnCalendar.read("*:17"), OnCalendar.read("Mon *:47:30")]) == {
        "cron": ["17 * * * *", "30 47 * * * mon"]
    }


@pytest.mark.parametrize("text", OVER)
def test_years_of_the_last_century_have_no_more_times(text: str) -> None:
    assert ours(text) == []


def test_leap_days_on_one_weekday_are_found_however_far_apart() -> None:
    assert [at.year for at in ours("Mon 2-29 12:00")] == [2044, 2072]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not here to be asked")
@pytest.mark.parametrize("text", REFUSED)
def test_expressions_we_refuse_are_refused_by_systemd(text: str) -> None:
    output = subprocess.run(["systemd-analyze", "calendar", text], capture_output=True, check=False, timeout=60)
    assert output.returncode != 0


@pytest.mark.parametrize("text", LEFT)
def test_unsupported_expressions_are_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(NotCalendarError, match=r"\.$"):
        OnCalendar.read(text)
