"""Any text is read to its end and gives jobs or reasons, never a crash."""

from datetime import UTC, datetime
from itertools import islice
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from scheduler.job_import.crontab import read_crontab
from scheduler.job_import.result import TranslationResult
from scheduler.job_import.script import write_script
from scheduler.job_import.systemd import read_systemd
from scheduler.job_import.windows_tasks import read_task
from scheduler.job_import.workflow_names import suggest_name

AFTER = datetime(2026, 11, 16, tzinfo=UTC)
CRON = ["*", "*/5", "1-5", "0", "mon", "@daily", "@reboot", "%", "\\%", "#", "=", "MAILTO=", "CRON_TZ=", "-", "/", ","]
UNIT = [
    "[Timer]", "[Service]", "OnCalendar=", "OnUnitActiveSec=", "ExecStart=", "Environment=", "Unit=", "daily", "*-*-*",
    "00:00", "..", "~1", "Mon", "5min", "\\", '"', "'", "%h", "%", "$x", "=", "UTC", "RandomizedDelaySec=",
]  # fmt: skip
XML = [
    "<Task>", "</Task>", "<Triggers>", "</Triggers>", "<CalendarTrigger>", "</CalendarTrigger>", "<ScheduleByDay/>",
    "<StartBoundary>2026-01-01T00:00:00</StartBoundary>", "<Repetition>", "</Repetition>", "<Interval>PT1H</Interval>",
    "<Actions><Exec><Command>x</Command></Exec></Actions>",
    "<Settings/>", "<!DOCTYPE", "&x;", "<Duration>P0D</Duration>",
]  # fmt: skip


def lines(tokens: list[str]) -> st.SearchStrategy[str]:
    word = st.sampled_from(tokens) | st.text(max_size=6)
    return st.lists(st.lists(word, max_size=8).map(" ".join), max_size=8).map("\n".join)


def assert_usable(result: TranslationResult) -> None:
    assert all(left.reason.endswith((".", ")")) for left in result.left), result.left
    for job in result.jobs:
        compile(write_script(suggest_name(job), job, job.key), "x.py", "exec")
        times = [] if job.old is None else list(islice(job.old(AFTER, ZoneInfo("Europe/Berlin")), 3))
        assert times == sorted(set(times)) and all(at > AFTER for at in times)


@given(lines(CRON))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_as_a_crontab(text: str) -> None:
    assert_usable(read_crontab(text))
    assert_usable(read_crontab(text, system=True, user="*"))


@given(lines(UNIT), lines(UNIT))
@settings(max_examples=150, deadline=None)
def test_any_texts_are_read_as_units(timer: str, service: str) -> None:
    assert_usable(read_systemd({"a.timer": f"[Timer]\n{timer}", "a.service": f"[Service]\n{service}"}))
    assert_usable(
        read_systemd({"a.timer": "[Timer]\nOnCalendar=daily", "a.service": f"[Service]\nExecStart=/x\n{service}"})
    )
    assert_usable(read_systemd({"a.timer": f"[Timer]\nOnCalendar={timer}", "a.service": "[Service]\nExecStart=/x"}))


@given(lines(XML))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_as_a_task(text: str) -> None:
    assert_usable(read_task(text))
    action = "<Actions><Exec><Command>x</Command></Exec></Actions>"
    assert_usable(read_task(f"<Task><Triggers><CalendarTrigger>{text}</CalendarTrigger></Triggers>{action}</Task>"))
