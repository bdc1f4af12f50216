import subprocess
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from scheduler.job_import.on_calendar import parse_span
from scheduler.job_import.result import Job, TranslationResult
from scheduler.job_import.systemd import read_systemd

SERVICE = "[Unit]\nDescription=Back up\n[Service]\nType=oneshot\nExecStart=/usr/bin/restic backup %h/Documents\n"
TIMER = (
    "[Unit]\nDescription=Nightly\n[Timer]\nOnCalendar=*-*-* 03:00:00\nPersistent=true\n"
    "[Install]\nWantedBy=timers.target\n"
)


def read(timer: str = TIMER, service: str = SERVICE) -> TranslationResult:
    return read_systemd({"b.timer": timer, "b.service": service}, home="/home/me", user="me")


def read_one(timer: str = TIMER, service: str = SERVICE) -> Job:
    result = read(timer, service)
    assert result.left == ()
    [job] = result.jobs
    return job


def timer_with(*lines: str) -> str:
    return "[Timer]\n" + "\n".join(lines)


def service_with(*lines: str) -> str:
    return "[Service]\n" + "\n".join(lines)


def test_a_persistent_timer_catches_up_one_missed_time() -> None:
    job = read_one()
    assert job.settings == {
        "calendar": {"hour": 3, "minute": 0, "second": 0},
        "timezone": "local",
        "overlap": "skip",
        "catchup": "one",
        "max_failures": 0,
        "after_crash": "never",
        "timeout": "1d",
    }
    assert (job.title, job.place, job.line) == ("Nightly", "b.timer", 4)
    assert job.commands == (("/usr/bin/restic", "backup", "/home/me/Documents"),)


def test_other_timers_do_not_catch_up() -> None:
    assert read_one(timer_with("OnCalendar=daily", "Persistent=no")).settings["catchup"] == "none"


def test_a_random_delay_becomes_positive_jitter() -> None:
    assert read_one(timer_with("OnCalendar=daily", "RandomizedDelaySec=1h 30min")).settings["jitter"] == "+5400s"


def test_an_interval_becomes_every_with_a_note() -> None:
    job = read_one(timer_with("OnUnitActiveSec=15min"))
    assert (job.settings["every"], job.old) == ("900s", None)
    assert "was added" in job.notes[0]


def test_the_delay_before_the_first_interval_is_listed() -> None:
    result = read(timer_with("OnBootSec=5min", "OnUnitActiveSec=1h"))
    assert [job.settings["every"] for job in result.jobs] == ["3600s"]
    assert [left.text for left in result.left] == ["OnBootSec=5min"]


def test_several_expressions_are_a_union_with_each_time_once() -> None:
    job = read_one(timer_with("OnCalendar=Mon 09:00", "OnCalendar=Mon,Tue 09:00"))
    after = datetime(2026, 11, 15, tzinfo=UTC)
    assert job.old is not None
    assert [f"{at:%a %H}" for at in islice(job.old(after, ZoneInfo("UTC")), 3)] == ["Mon 09", "Tue 09", "Mon 09"]
    assert len(job.settings["calendar"]) == 2


def test_an_empty_value_clears_earlier_ones() -> None:
    assert read_one(timer_with("OnCalendar=daily", "OnCalendar=", "OnCalendar=weekly")).settings["calendar"][
        "weekday"
    ] == ["mon"]


def test_an_empty_trigger_clears_every_earlier_trigger() -> None:
    """As in systemd, the lists of all kinds are cleared."""
    assert "calendar" in read_one(timer_with("OnUnitActiveSec=1h", "OnCalendar=", "OnCalendar=daily")).settings


def test_a_second_interval_is_listed() -> None:
    result = read(timer_with("OnUnitActiveSec=1h", "OnUnitInactiveSec=20min"))
    assert [job.settings["every"] for job in result.jobs] == ["3600s"]
    assert [(left.line, left.text) for left in result.left] == [(3, "OnUnitInactiveSec=20min")]


def test_a_service_of_another_name_is_found() -> None:
    files = {"a.timer": timer_with("OnCalendar=daily", "Unit=b.service"), "b.service": SERVICE}
    assert len(read_systemd(files).jobs) == 1


def test_commands_keep_their_order_folder_and_environment() -> None:
    job = read_one(
        service=service_with(
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


def test_variables_of_the_unit_are_filled_in() -> None:
    job = read_one(
        service=service_with(
            "Environment=TO=/mnt/nas",
            'Environment="OPTIONS=-a --delete"',
            "ExecStart=/usr/bin/rsync $OPTIONS ${HOME}/Pictures %h/x ${TO}/photos $$1",
        )
    )
    around = ("/usr/bin/env", "TO=/mnt/nas", "OPTIONS=-a --delete")
    words = ("/usr/bin/rsync", "-a", "--delete", "/home/me/Pictures", "/home/me/x", "/mnt/nas/photos", "$1")
    assert job.commands == ((*around, *words),)


def test_variables_inside_a_longer_word_are_left_to_the_shell() -> None:
    """As in systemd, which fills in $NAME only as a word of its own."""
    job = read_one(
        service=service_with("Environment=TO=/mnt/nas", "ExecStart=/bin/sh -c 'mkdir -p $TO && cp -r $1 ${TO}/$(date)'")
    )
    assert job.commands == (
        ("/usr/bin/env", "TO=/mnt/nas", "/bin/sh", "-c", "mkdir -p $TO && cp -r $1 /mnt/nas/$(date)"),
    )


@pytest.mark.parametrize("word", ["${UNKNOWN}", "$UNKNOWN", "${HOME:-x}", "$"])
def test_a_variable_without_a_known_value_is_refused(word: str) -> None:
    [left] = read(service=service_with(f"ExecStart=/bin/x {word}")).left
    assert "variables that systemd fills in" in left.reason and not left.is_setting


def test_exit_codes_that_are_no_failure_stay_so() -> None:
    job = read_one(service=service_with("ExecStart=/bin/sh -c 'exit 3'", "SuccessExitStatus=3 4"))
    [command] = job.commands
    assert subprocess.run(command, check=False).returncode == 0
    job = read_one(service=service_with("ExecStart=/bin/sh -c 'exit 5'", "SuccessExitStatus=3 4"))
    assert subprocess.run(job.commands[0], check=False).returncode == 5


def test_exit_codes_by_name_are_left_out() -> None:
    [left] = read(service=service_with("ExecStart=/bin/x", "SuccessExitStatus=TEMPFAIL")).left
    assert (left.text, left.is_setting) == ("SuccessExitStatus=TEMPFAIL", True)


def test_an_escaped_semicolon_is_an_argument() -> None:
    job = read_one(service=service_with("ExecStart=/usr/bin/find . -exec ls {} \\;"))
    assert job.commands == (("/usr/bin/find", ".", "-exec", "ls", "{}", ";"),)


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
def test_only_a_time_limit_of_the_whole_run_is_kept(lines: tuple[str, ...], limit: str, left: list[str]) -> None:
    """A oneshot counts as starting until it ends; any other service has started at once."""
    result = read(service=service_with("ExecStart=/bin/x", *lines))
    assert [job.settings["timeout"] for job in result.jobs] == [limit]
    assert [one.text for one in result.left] == left


def test_a_service_that_waits_for_the_network_or_power_needs_it() -> None:
    job = read_one(
        service=service_with("ExecStart=/bin/x") + "\n[Unit]\nAfter=network-online.target\nConditionACPower=true\n"
    )
    assert job.settings["needs"] == ["network", "power"]


def test_a_tilde_is_the_users_home() -> None:
    assert "/home/me" in read_one(service=service_with("ExecStart=/bin/x", "WorkingDirectory=~")).commands[0]


def test_drop_ins_change_the_unit_in_the_order_of_their_names() -> None:
    later = "[Timer]\nOnCalendar=\nOnCalendar=*-*-* 05:00\n"
    files = {"b.timer": TIMER, "b.service": SERVICE, "b.timer.d/20-later.conf": later}
    files |= {"b.timer.d/10-early.conf": "[Timer]\nOnCalendar=*-*-* 04:00\n", "b.timer.d/notes.txt": "x"}
    files["b.service.d/limit.conf"] = "[Service]\nMemoryMax=1G\n"
    result = read_systemd(files)
    [job] = result.jobs
    assert (job.place, job.line, job.text) == ("b.timer.d/20-later.conf", 3, "OnCalendar=*-*-* 05:00")
    assert ("b.service.d/limit.conf", 2, "MemoryMax=1G") in [(one.place, one.line, one.text) for one in result.left]
    assert "b.timer.d/notes.txt" in [one.place for one in result.left]


def test_a_file_that_belongs_to_no_timer_is_listed() -> None:
    result = read_systemd({"b.timer": TIMER, "b.service": SERVICE, "mail.service": SERVICE})
    assert len(result.jobs) == 1
    assert [left.place for left in result.left] == ["mail.service"]


@pytest.mark.parametrize(
    ("timer", "service", "line", "reason"),
    [
        (timer_with("OnBootSec=5min"), SERVICE, 2, "not at a set time"),
        (timer_with("Persistent=yes"), SERVICE, 1, "no time"),
        (timer_with("OnCalendar=*-*~3"), SERVICE, 2, "last day"),
        (timer_with("OnCalendar=daily", "OnUnitActiveSec=1h"), SERVICE, 3, "both"),
        (timer_with("OnCalendar=09:00 UTC", "OnCalendar=10:00"), SERVICE, 3, "zones"),
        (timer_with("OnCalendar=*:*:0/5"), SERVICE, 2, "10"),
        (timer_with("OnCalendar=*-02-30"), SERVICE, 2, "names a date that does not exist"),
        (timer_with("OnUnitActiveSec=5s"), SERVICE, 2, "too often"),
        (timer_with("OnUnitActiveSec=soon"), SERVICE, 2, "time span"),
        (timer_with("OnCalendar=daily", "RandomizedDelaySec=25h"), SERVICE, 3, "at most one day"),
        (TIMER, service_with("Type=oneshot"), 1, "no command"),
        (TIMER, service_with("ExecStart=/bin/x ${PWD}"), 2, "variables"),
        (TIMER, service_with("ExecStart=/bin/x %i"), 2, "%i"),
        (TIMER, service_with("ExecStart=+/bin/x"), 2, "prefix"),
        (TIMER, service_with("ExecStart=/bin/x 'y"), 2, "quotes"),
        (TIMER, service_with("ExecStart=/bin/x ; /bin/y"), 2, "several"),
    ],
)
def test_untranslatable_settings_are_listed_with_their_line(timer: str, service: str, line: int, reason: str) -> None:
    result = read(timer, service)
    assert result.jobs == ()
    [left] = result.left
    assert left.line == line
    assert reason in left.reason


def test_a_timer_without_its_service_is_listed() -> None:
    result = read_systemd({"a.timer": TIMER})
    assert (result.jobs, "a.service" in result.left[0].reason) == ((), True)


def test_settings_that_jobs_do_not_have_are_listed_beside_the_job() -> None:
    result = read(
        timer_with("OnCalendar=daily", "WakeSystem=true"), service_with("ExecStart=/bin/x", "ProtectHome=yes")
    )
    assert len(result.jobs) == 1
    assert [(left.place, left.line, left.text) for left in result.left] == [
        ("b.timer", 3, "WakeSystem=true"),
        ("b.service", 3, "ProtectHome=yes"),
    ]


def test_a_secret_is_never_copied() -> None:
    result = read(service=service_with("Environment=API_TOKEN=hunter2 A=b", "ExecStart=/bin/x"))
    assert "hunter2" not in repr(result)
    assert (result.left[0].text, result.jobs[0].commands[0][1]) == ("Environment=API_TOKEN=…", "A=b")


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("1h 30min", 5400), ("2h30m", 9000), ("1d", 86_400), ("500ms", 0), ("1w", 604_800), ("1M", 2_630_016)],
)
def test_time_spans_are_read_as_in_systemd(text: str, seconds: int) -> None:
    assert parse_span(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "soon", "5 parsecs", "-1h"])
def test_invalid_time_spans_are_none(text: str) -> None:
    assert parse_span(text) is None
