from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from scheduler.importing.found import Found, Job
from scheduler.importing.systemd import read_systemd
from scheduler.importing.units import read_span

SERVICE = "[Unit]\nDescription=Back up\n[Service]\nType=oneshot\nExecStart=/usr/bin/restic backup %h/Documents\n"
TIMER = (
    "[Unit]\nDescription=Nightly\n[Timer]\nOnCalendar=*-*-* 03:00:00\nPersistent=true\n"
    "[Install]\nWantedBy=timers.target\n"
)


def read(timer: str = TIMER, service: str = SERVICE) -> Found:
    return read_systemd({"b.timer": timer, "b.service": service}, home="/home/me", user="me")


def one(timer: str = TIMER, service: str = SERVICE) -> Job:
    found = read(timer, service)
    assert found.left == ()
    [job] = found.jobs
    return job


def timed(*lines: str) -> str:
    return "[Timer]\n" + "\n".join(lines)


def serving(*lines: str) -> str:
    return "[Service]\n" + "\n".join(lines)


def test_a_persistent_timer_makes_up_for_one_missed_time() -> None:
    job = one()
    assert job.settings == {
        "calendar": {"hour": 3, "minute": 0, "second": 0},
        "timezone": "local",
        "overlap": "skip",
        "catchup": "one",
        "after_crash": "never",
        "timeout": "1d",
    }
    assert (job.title, job.place, job.line) == ("Nightly", "b.timer", 4)
    assert job.commands == (("/usr/bin/restic", "backup", "/home/me/Documents"),)


def test_another_timer_forgets_what_it_missed() -> None:
    assert one(timed("OnCalendar=daily", "Persistent=no")).settings["catchup"] == "none"


def test_a_random_delay_becomes_jitter_that_is_only_later() -> None:
    assert one(timed("OnCalendar=daily", "RandomizedDelaySec=1h 30min")).settings["jitter"] == "+5400s"


def test_a_length_between_runs_becomes_a_grid_and_says_what_is_different() -> None:
    job = one(timed("OnUnitActiveSec=15min"))
    assert (job.settings["every"], job.old) == ("900s", None)
    assert "deployed" in job.notes[0]


def test_what_comes_before_the_first_length_is_listed() -> None:
    found = read(timed("OnBootSec=5min", "OnUnitActiveSec=1h"))
    assert [job.settings["every"] for job in found.jobs] == ["3600s"]
    assert [left.text for left in found.left] == ["OnBootSec=5min"]


def test_several_expressions_are_a_union_with_each_time_once() -> None:
    job = one(timed("OnCalendar=Mon 09:00", "OnCalendar=Mon,Tue 09:00"))
    after = datetime(2026, 11, 15, tzinfo=UTC)
    assert job.old is not None
    assert [f"{at:%a %H}" for at in islice(job.old(after, ZoneInfo("UTC")), 3)] == ["Mon 09", "Tue 09", "Mon 09"]
    assert len(job.settings["calendar"]) == 2


def test_an_empty_value_takes_back_those_before_it() -> None:
    assert one(timed("OnCalendar=daily", "OnCalendar=", "OnCalendar=weekly")).settings["calendar"]["weekday"] == ["mon"]


def test_an_empty_time_takes_back_every_time_before_it() -> None:
    """As systemd says: the lists of both kinds are emptied."""
    assert "calendar" in one(timed("OnUnitActiveSec=1h", "OnCalendar=", "OnCalendar=daily")).settings


def test_of_two_lengths_the_second_is_listed() -> None:
    found = read(timed("OnUnitActiveSec=1h", "OnUnitInactiveSec=20min"))
    assert [job.settings["every"] for job in found.jobs] == ["3600s"]
    assert [(left.line, left.text) for left in found.left] == [(3, "OnUnitInactiveSec=20min")]


def test_a_service_of_another_name_is_found() -> None:
    files = {"a.timer": timed("OnCalendar=daily", "Unit=b.service"), "b.service": SERVICE}
    assert len(read_systemd(files).jobs) == 1


def test_commands_run_one_after_the_other_where_and_with_what_they_ran() -> None:
    job = one(
        service=serving(
            "WorkingDirectory=%h/src",
            'Environment="A=one two" B=3',
            "ExecStartPre=-/bin/mkdir x",
            "ExecStart=/bin/sh -c 'echo 100%% $$HOME' \\",
            "  again",
        )
    )
    first, second = job.commands
    around = ("/usr/bin/env", "A=one two", "B=3", "/bin/sh", "-c", 'cd "$0" && exec "$@"', "/home/me/src")
    assert first == (*around, "/bin/sh", "-c", '"$@" || :', "sh", "/bin/mkdir", "x")
    assert second == (*around, "/bin/sh", "-c", "echo 100% $HOME", "again")


@pytest.mark.parametrize(
    ("lines", "limit", "left"),
    [
        (("Type=oneshot", "TimeoutStartSec=10min"), "600s", []),
        (("Type=oneshot", "TimeoutStartSec=10min", "TimeoutStartSec=infinity"), "1d", []),
        (("Type=oneshot", "RuntimeMaxSec=30"), "1d", ["RuntimeMaxSec=30"]),
        (("RuntimeMaxSec=30",), "30s", []),
        (("TimeoutStartSec=10",), "1d", ["TimeoutStartSec=10"]),
    ],
)
def test_only_a_limit_of_the_whole_run_is_kept(lines: tuple[str, ...], limit: str, left: list[str]) -> None:
    """A oneshot is starting until it ends; any other service has started at once."""
    found = read(service=serving("ExecStart=/bin/x", *lines))
    assert [job.settings["timeout"] for job in found.jobs] == [limit]
    assert [one.text for one in found.left] == left


def test_a_service_that_waits_for_the_network_or_power_needs_it() -> None:
    job = one(service=serving("ExecStart=/bin/x") + "\n[Unit]\nAfter=network-online.target\nConditionACPower=true\n")
    assert job.settings["needs"] == ["network", "power"]


def test_the_folder_of_the_person_is_theirs() -> None:
    assert "/home/me" in one(service=serving("ExecStart=/bin/x", "WorkingDirectory=~")).commands[0]


def test_a_unit_that_drop_ins_change_is_listed_with_them() -> None:
    files = {"b.timer": TIMER, "b.service": SERVICE, "b.timer.d/override.conf": timed("OnCalendar=")}
    found = read_systemd(files)
    assert (found.jobs, len(found.left)) == ((), 1)
    assert "b.timer.d/override.conf" in found.left[0].reason


def test_a_file_that_belongs_to_no_timer_is_listed() -> None:
    found = read_systemd({"b.timer": TIMER, "b.service": SERVICE, "mail.service": SERVICE})
    assert len(found.jobs) == 1
    assert [left.place for left in found.left] == ["mail.service"]


@pytest.mark.parametrize(
    ("timer", "service", "line", "reason"),
    [
        (timed("OnBootSec=5min"), SERVICE, 2, "not a time"),
        (timed("Persistent=yes"), SERVICE, 1, "no time"),
        (timed("OnCalendar=*-*~3"), SERVICE, 2, "last day"),
        (timed("OnCalendar=daily", "OnUnitActiveSec=1h"), SERVICE, 3, "both"),
        (timed("OnCalendar=09:00 UTC", "OnCalendar=10:00"), SERVICE, 3, "zones"),
        (timed("OnCalendar=*:*:0/5"), SERVICE, 2, "10"),
        (timed("OnCalendar=*-02-30"), SERVICE, 2, "never"),
        (timed("OnUnitActiveSec=5s"), SERVICE, 2, "too often"),
        (timed("OnUnitActiveSec=soon"), SERVICE, 2, "length"),
        (timed("OnCalendar=daily", "RandomizedDelaySec=25h"), SERVICE, 3, "a day at most"),
        (TIMER, serving("Type=oneshot"), 1, "no command"),
        (TIMER, serving("ExecStart=/bin/x ${HOME}"), 2, "variables"),
        (TIMER, serving("ExecStart=/bin/x %i"), 2, "%i"),
        (TIMER, serving("ExecStart=+/bin/x"), 2, "sign"),
        (TIMER, serving("ExecStart=/bin/x 'y"), 2, "quotes"),
        (TIMER, serving("ExecStart=/bin/x ; /bin/y"), 2, "several"),
    ],
)
def test_what_does_not_translate_is_listed_with_its_line(timer: str, service: str, line: int, reason: str) -> None:
    found = read(timer, service)
    assert found.jobs == ()
    [left] = found.left
    assert left.line == line
    assert reason in left.reason


def test_a_timer_without_its_service_is_listed() -> None:
    found = read_systemd({"a.timer": TIMER})
    assert (found.jobs, "a.service" in found.left[0].reason) == ((), True)


def test_settings_that_jobs_do_not_have_are_listed_beside_the_job() -> None:
    found = read(timed("OnCalendar=daily", "WakeSystem=true"), serving("ExecStart=/bin/x", "ProtectHome=yes"))
    assert len(found.jobs) == 1
    assert [(left.place, left.line, left.text) for left in found.left] == [
        ("b.timer", 3, "WakeSystem=true"),
        ("b.service", 3, "ProtectHome=yes"),
    ]


def test_a_secret_is_never_copied() -> None:
    found = read(service=serving("Environment=API_TOKEN=hunter2 A=b", "ExecStart=/bin/x"))
    assert "hunter2" not in repr(found)
    assert (found.left[0].text, found.jobs[0].commands[0][1]) == ("Environment=API_TOKEN=…", "A=b")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("1h 30min", 5400), ("2h30m", 9000), ("1d", 86_400), ("500ms", 0), ("1w", 604_800), ("1M", 2_630_016)],
)
def test_lengths_are_read_as_systemd_reads_them(text: str, seconds: int) -> None:
    assert read_span(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "soon", "5 parsecs", "-1h"])
def test_what_is_no_length_is_none(text: str) -> None:
    assert read_span(text) is None
