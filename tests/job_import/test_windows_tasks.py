from calendar import month_name
from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from scheduler.job_import.result import Job, TranslationResult
from scheduler.job_import.windows_tasks import read_task
from scheduler.timing.spec import ScheduleSpec

ZONE = "Europe/Berlin"
AFTER = datetime(2026, 4, 2, 7, 30, tzinfo=UTC)
START = "<StartBoundary>2026-01-05T08:30:00</StartBoundary>"
EXEC = '<Exec><Command>C:\\Program Files\\Tool\\tool.exe</Command><Arguments>/quiet "a b"</Arguments></Exec>'


def task(trigger: str, settings: str = "", action: str = EXEC, principal: str = "") -> str:
    return (
        '<?xml version="1.0" encoding="UTF-16"?>\n'
        '<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">\n'
        "<RegistrationInfo><Description>Tidy up</Description><URI>\\Tidy</URI></RegistrationInfo>\n"
        f"<Triggers>\n{trigger}\n</Triggers>\n<Principals><Principal>{principal}</Principal></Principals>\n"
        f"<Settings>{settings}</Settings>\n<Actions>{action}</Actions>\n</Task>"
    )


def calendar_trigger(inside: str, more: str = "") -> str:
    return f"<CalendarTrigger>{more}{START}{inside}</CalendarTrigger>"


def repetition(interval: str, duration: str = "") -> str:
    span = f"<Duration>{duration}</Duration>" if duration else ""
    return f"<Repetition><Interval>{interval}</Interval>{span}</Repetition>"


DAILY = calendar_trigger("<ScheduleByDay><DaysInterval>1</DaysInterval></ScheduleByDay>")
WEEKLY = calendar_trigger(
    "<ScheduleByWeek><WeeksInterval>1</WeeksInterval><DaysOfWeek><Monday /><Friday /></DaysOfWeek></ScheduleByWeek>"
)
MONTHS = "".join(f"<{name} />" for name in month_name[1:])
MONTHLY = calendar_trigger(
    f"<ScheduleByMonth><DaysOfMonth><Day>1</Day><Day>Last</Day></DaysOfMonth><Months>{MONTHS}</Months></ScheduleByMonth>"
)
QUARTERLY = calendar_trigger(
    "<ScheduleByMonth><DaysOfMonth><Day>15</Day></DaysOfMonth><Months><March /><June /></Months></ScheduleByMonth>"
)
SECOND_TUESDAY = calendar_trigger(
    "<ScheduleByMonthDayOfWeek><Weeks><Week>2</Week></Weeks><DaysOfWeek><Tuesday /></DaysOfWeek>"
    f"<Months>{MONTHS}</Months></ScheduleByMonthDayOfWeek>"
)
LAST_FRIDAY = SECOND_TUESDAY.replace("<Week>2<", "<Week>Last<").replace("Tuesday", "Friday")
HOURLY_AT_WORK = calendar_trigger("<ScheduleByDay />", repetition("PT1H", "PT10H"))
EVERY_QUARTER = f"<TimeTrigger>{repetition('PT15M')}{START}</TimeTrigger>"
ONCE = "<TimeTrigger><StartBoundary>2027-02-03T04:05:06</StartBoundary></TimeTrigger>"
TRANSLATED = {
    "daily": DAILY,
    "weekly": WEEKLY,
    "monthly": MONTHLY,
    "quarterly": QUARTERLY,
    "second tuesday": SECOND_TUESDAY,
    "last friday": LAST_FRIDAY,
    "hourly at work": HOURLY_AT_WORK,
    "every quarter": EVERY_QUARTER,
    "once": ONCE,
    "daily in UTC": DAILY.replace("08:30:00", "08:30:00Z"),
    "quarters in another offset": EVERY_QUARTER.replace("08:30:00", "08:30:00+05:45"),
}


def read_one(text: str) -> Job:
    result = read_task(text)
    assert result.left == ()
    [job] = result.jobs
    return job


@pytest.mark.parametrize("name", TRANSLATED)
def test_the_times_are_those_of_the_trigger(name: str) -> None:
    job = read_one(task(TRANSLATED[name]))
    written = {
        word: job.settings[word]
        for word in ("calendar", "once", "start_at", "end_at", "timezone")
        if word in job.settings
    }
    new = ScheduleSpec.read(written, machine_zone=ZONE, now=AFTER).compile(ZONE).upcoming(AFTER, 10)
    assert job.old is not None
    assert new == list(islice(job.old(AFTER, ZoneInfo(ZONE)), 10))
    assert len(new) == (1 if name == "once" else 10)


def old_times(trigger: str, count: int) -> list[str]:
    job = read_one(task(trigger))
    assert job.old is not None
    return [f"{at.astimezone(ZoneInfo(ZONE)):%m-%d %H:%M}" for at in islice(job.old(AFTER, ZoneInfo(ZONE)), count)]


def test_the_old_times_match_the_trigger() -> None:
    assert old_times(SECOND_TUESDAY, 2) == ["04-14 08:30", "05-12 08:30"]
    assert old_times(LAST_FRIDAY, 2) == ["04-24 08:30", "05-29 08:30"]
    assert old_times(MONTHLY, 3) == ["04-30 08:30", "05-01 08:30", "05-31 08:30"]
    assert old_times(HOURLY_AT_WORK, 3) == ["04-02 10:30", "04-02 11:30", "04-02 12:30"]
    assert old_times(EVERY_QUARTER, 2) == ["04-02 09:45", "04-02 10:00"]
    assert old_times(DAILY.replace("08:30:00", "08:30:00Z"), 1) == ["04-02 10:30"], "UTC: the same instant everywhere"
    assert old_times(DAILY.replace("08:30:00", "08:30:00-02:00"), 1) == ["04-02 12:30"]


def test_an_end_time_is_kept() -> None:
    job = read_one(task(DAILY.replace(START, START + "<EndBoundary>2026-04-04T00:00:00</EndBoundary>")))
    assert job.settings["end_at"] == "2026-04-04T00:00:00"
    assert job.old is not None
    assert len(list(job.old(AFTER, ZoneInfo(ZONE)))) == 1


def test_a_random_delay_becomes_jitter() -> None:
    assert (
        read_one(task(DAILY.replace(START, START + "<RandomDelay>PT30M</RandomDelay>"))).settings["jitter"] == "+1800s"
    )


def test_settings_become_policies() -> None:
    settings = (
        "<MultipleInstancesPolicy>Queue</MultipleInstancesPolicy><StartWhenAvailable>true</StartWhenAvailable>"
        "<RunOnlyIfNetworkAvailable>true</RunOnlyIfNetworkAvailable><ExecutionTimeLimit>PT2H</ExecutionTimeLimit>"
        "<DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries><WakeToRun>false</WakeToRun>"
    )
    given = read_one(task(DAILY, settings)).settings
    assert {name: given[name] for name in ("overlap", "catchup", "needs", "timeout")} == {
        "overlap": "buffer_all",
        "catchup": "one",
        "needs": ["network"],
        "timeout": "7200s",
    }


def test_missing_settings_have_the_windows_defaults() -> None:
    given = read_one(task(DAILY)).settings
    assert (given["overlap"], given["catchup"], given["needs"], given["timeout"]) == (
        "skip",
        "none",
        ["power"],
        "259200s",
    )


def test_a_command_keeps_its_arguments_unchanged() -> None:
    job = read_one(task(DAILY))
    assert job.commands == (("cmd.exe", "/d", "/s", "/c", '"C:\\Program Files\\Tool\\tool.exe" /quiet "a b"'),)
    quoted = EXEC.replace("<Command>", '<Command>"').replace("</Command>", '"</Command>')
    assert read_one(task(DAILY).replace(EXEC, quoted)).commands == job.commands, "with or without its own quotes"
    assert job.title == "Tidy up"


def test_each_trigger_becomes_a_job_with_its_line() -> None:
    result = read_task(task(DAILY + "\n" + WEEKLY + "\n<LogonTrigger />"))
    assert [job.line for job in result.jobs] == [5, 6]
    assert [left.line for left in result.left] == [7]


@pytest.mark.parametrize(
    ("trigger", "reason"),
    [
        ("<LogonTrigger />", "logs on"),
        ("<BootTrigger />", "starts"),
        ("<IdleTrigger />", "idle"),
        ("<EventTrigger />", "event"),
        ("<OddTrigger>" + START + "</OddTrigger>", "known kind of trigger"),
        ("<CalendarTrigger><ScheduleByDay /></CalendarTrigger>", "no start time"),
        (DAILY.replace(">1<", ">3<"), "every 3 days"),
        (WEEKLY.replace(">1<", ">2<"), "every=14d"),
        (WEEKLY.replace(START, START + repetition("PT1H")), "without end"),
        (WEEKLY.replace(START, START + repetition("PT1H", "P1D")), "midnight"),
        (WEEKLY.replace("<Monday /><Friday />", ""), "its days"),
        (MONTHLY.replace("<Day>1</Day><Day>Last</Day>", ""), "its days"),
        (DAILY.replace(START, START + "<EndBoundary>2025-01-01T00:00:00</EndBoundary>"), "before it starts"),
        ("<WnfStateChangeTrigger />", "known kind of trigger"),
        (calendar_trigger("<ScheduleByDay />", repetition("PT7M", "P1D")), "repetition"),
        (calendar_trigger("<ScheduleByDay />", repetition("PT1H", "PT20H")), "midnight"),
        (calendar_trigger("<ScheduleByDay />", repetition("soon", "PT20H")), "time span"),
        (calendar_trigger(""), "its days"),
        (f"<TimeTrigger>{repetition('PT1H', 'PT5H')}{START}</TimeTrigger>", "one day only"),
        (DAILY.replace(START, "<Enabled>false</Enabled>" + START), "turned off"),
        ("", "by hand"),
        (DAILY.replace(START, START + "<RandomDelay>P2D</RandomDelay>"), "at most one day"),
    ],
)
def test_untranslatable_triggers_are_listed_with_their_reason(trigger: str, reason: str) -> None:
    result: TranslationResult = read_task(task(trigger), place="t.xml")
    assert result.jobs == ()
    [left] = result.left
    assert left.place == "t.xml"
    assert reason in left.reason


def test_unsupported_settings_are_listed_with_the_job() -> None:
    result = read_task(task(DAILY, "<WakeToRun>true</WakeToRun>", EXEC + "<ComHandler>x</ComHandler>"))
    assert len(result.jobs) == 1
    assert sorted(left.text.split()[0] for left in result.left) == ["ComHandler", "WakeToRun"]


def test_a_time_limit_per_trigger_is_listed() -> None:
    limited = DAILY.replace(START, START + "<ExecutionTimeLimit>PT5M</ExecutionTimeLimit>")
    result = read_task(task(limited))
    assert [left.text for left in result.left] == ["ExecutionTimeLimit PT5M"]
    assert len(result.jobs) == 1


def test_another_principal_is_listed() -> None:
    mine = (
        "<UserId>S-1-5-21-1-2-3-1001</UserId><LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel>"
    )
    assert read_task(task(DAILY, principal=mine)).left == ()
    other = "<UserId>S-1-5-18</UserId><LogonType>S4U</LogonType><RunLevel>HighestAvailable</RunLevel>"
    assert len(read_task(task(DAILY, principal=other)).left) == 3


@pytest.mark.parametrize("action", ["", "<Exec />"])
def test_a_task_that_does_nothing_is_listed(action: str) -> None:
    result = read_task(task(DAILY, action=action))
    assert (result.jobs, len(result.left)) == ((), 1)


@pytest.mark.parametrize("text", ["", "hello", "<a/>", '<!DOCTYPE x [<!ENTITY a "b">]><Task>&a;</Task>', "<Task"])
def test_other_or_hostile_xml_is_listed_and_does_no_harm(text: str) -> None:
    result = read_task(text)
    assert (result.jobs, len(result.left)) == ((), 1)
