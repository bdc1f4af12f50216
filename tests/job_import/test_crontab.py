from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

import pytest

from app.cli.preview import VERBS
from scheduler.job_import.crontab import CronProgram, read_crontab
from scheduler.job_import.result import Job, TranslationResult
from tests.job_import.crontab_samples import LEFT, TRANSLATED
from tests.timing import debian_cron

LINES = TRANSLATED.splitlines()
BERLIN = ZoneInfo("Europe/Berlin")
SPRING = datetime(2026, 3, 28, 12, tzinfo=UTC)
AUTUMN = datetime(2026, 10, 24, 12, tzinfo=UTC)


def read_one(text: str) -> Job:
    result = read_crontab(text)
    assert result.left == ()
    [job] = result.jobs
    return job


def preview_times(job: Job, after: datetime, zone: str) -> list[datetime]:
    """The times that `dayhand preview` shows."""
    parser = ArgumentParser()
    command = VERBS["preview"]
    command.arguments(parser)
    words = [job.settings["cron"], "--timezone", zone, "--from", after.isoformat(), "--count", "10"]
    return list(command.run(parser.parse_args(words)).times)


def old_times(job: Job, after: datetime, zone: str) -> list[datetime]:
    assert job.old is not None
    return list(islice(job.old(after, ZoneInfo(zone)), 10))


def test_there_are_enough_lines_to_prove_something() -> None:
    assert len(LINES) > 100 and len(set(LINES)) == len(LINES)


@pytest.mark.parametrize("after", [SPRING, AUTUMN], ids=["spring", "autumn"])
@pytest.mark.parametrize("line", LINES)
def test_the_next_ten_times_are_those_of_cron(line: str, after: datetime) -> None:
    job = read_one(line)
    assert preview_times(job, after, "Europe/Berlin") == old_times(job, after, "Europe/Berlin")
    assert len(old_times(job, after, "Europe/Berlin")) == 10


@pytest.mark.parametrize("after", [SPRING, AUTUMN], ids=["spring", "autumn"])
def test_the_old_times_are_those_of_a_simulated_cron(after: datetime) -> None:
    """Another implementation of Debian's rules, over the days around a clock change."""
    until = after + timedelta(days=3)
    services = debian_cron.Services.between(after, until, BERLIN)
    for line in LINES:
        job = read_one(line)
        assert job.old is not None
        ours = list(takewhile(lambda at: at <= until, job.old(after, BERLIN)))
        assert ours == services.runs(debian_cron.Job.read(job.settings["cron"])), line


@pytest.mark.parametrize("zone", ["America/Sao_Paulo", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"])
def test_the_times_are_those_of_cron_in_odd_zones(zone: str) -> None:
    for line in LINES[::7]:
        job = read_one(line)
        assert preview_times(job, AUTUMN, zone) == old_times(job, AUTUMN, zone), line


@pytest.mark.parametrize("line", LEFT)
def test_untranslatable_lines_are_listed_with_their_reason(line: str) -> None:
    result = read_crontab(f"# first\n\n{line}\n0 4 * * * good\n", place="mine")
    assert [job.title for job in result.jobs] == ["good"]
    [left] = result.left
    assert (left.place, left.line, left.text) == ("mine", 3, line)
    assert LEFT[line] in left.reason
    assert left.reason.endswith(".")


def test_no_line_is_lost() -> None:
    """Every line that is not empty or a comment becomes a job, is listed, or is a setting for the jobs below it."""
    text = f"PATH=/bin\n{TRANSLATED}# comment\n\n" + "\n".join(LEFT)
    result = read_crontab(text)
    numbers = sorted([job.line for job in result.jobs] + [left.line for left in result.left])
    expected = [number for number, line in enumerate(text.splitlines(), 1) if line.strip() and line[0] != "#"]
    assert [1, *numbers] == expected


def test_jobs_behave_like_cron_but_do_not_overlap() -> None:
    settings = read_one("0 4 * * * x").settings
    assert settings == {
        "cron": "0 4 * * *",
        "timezone": "local",
        "overlap": "skip",
        "catchup": "none",
        "max_failures": 0,
        "after_crash": "never",
        "timeout": "1d",
    }


def test_variables_apply_to_the_lines_below() -> None:
    result = read_crontab("0 1 * * * a\nPATH = \"/opt/bin:/bin\"\nSHELL=/bin/bash\n'LANG'=C.UTF-8\n0 2 * * * b\n")
    first, second = result.jobs
    assert first.commands == (("/bin/sh", "-c", "a"),)
    assert second.commands == (("/usr/bin/env", "PATH=/opt/bin:/bin", "LANG=C.UTF-8", "/bin/bash", "-c", "b"),)
    assert result.left == ()


def test_commands_start_in_the_assigned_home() -> None:
    [job] = read_crontab("HOME=/srv/x\n0 1 * * * ./run\n").jobs
    [words] = job.commands
    assert words[:2] == ("/usr/bin/env", "HOME=/srv/x")
    assert words[2:] == ("/bin/sh", "-c", 'cd "$0" && exec "$@"', "/srv/x", "/bin/sh", "-c", "./run")


def test_text_after_a_percent_sign_is_the_commands_input() -> None:
    job = read_one("0 4 * * * mail -s 50\\% me%Dear me,%%bye")
    [words] = job.commands
    assert words[3:] == ("mail -s 50% me", "Dear me,\n\nbye", "/bin/sh")
    assert job.title == "mail -s 50% me"
    assert read_one("0 4 * * * mail me %Dear me").title == "mail me"


def test_cron_tz_is_kept_and_lines_below_an_unknown_zone_are_left_out() -> None:
    result = read_crontab("CRON_TZ=Asia/Tokyo\n0 9 * * * a\nCRON_TZ=Mars/Base\n0 9 * * * b\nCRON_TZ=UTC\n0 9 * * * c\n")
    assert [(job.title, job.settings["timezone"]) for job in result.jobs] == [("a", "Asia/Tokyo"), ("c", "UTC")]
    assert [left.line for left in result.left] == [3, 4]
    assert all("Mars/Base" in left.reason for left in result.left)


def test_cron_tz_applies_to_the_old_times_too() -> None:
    """Otherwise a comparison would differ on every machine in another zone."""
    [job] = read_crontab("CRON_TZ=America/New_York\n30 2 * * * x\n").jobs
    assert old_times(job, SPRING, "Europe/Berlin") == preview_times(job, SPRING, "America/New_York")


def test_cron_tz_has_no_effect_on_times_of_debians_cron() -> None:
    text = "CRON_TZ=Asia/Tokyo\n0 9 * * * x\n"
    [job] = read_crontab(text, cron=CronProgram.DEBIAN).jobs
    assert (job.settings["timezone"], job.notes) == ("local", ())
    assert "CRON_TZ=Asia/Tokyo" in job.commands[0], "its command sees it, as any variable"
    [job] = read_crontab(text, cron=CronProgram.CRONIE).jobs
    assert (job.settings["timezone"], job.notes) == ("Asia/Tokyo", ())


def test_a_cron_tz_of_an_unknown_cron_says_which_times_are_used() -> None:
    below, above = read_crontab("0 8 * * * y\nCRON_TZ=Asia/Tokyo\n0 9 * * * x\n").jobs[::-1]
    [note] = below.notes
    assert "Debian's cron does not know CRON_TZ and ran this at local time; these times are in Asia/Tokyo" in note
    assert "--cron debian" in note and above.notes == ()


def test_old_times_that_are_decades_apart_are_found() -> None:
    """29 February on a Sunday: the day field AND the weekday field, since one begins with a star."""
    job = read_one("0 9 29 2 */7 x")
    assert [at.year for at in old_times(job, SPRING, "Europe/Berlin")[:3]] == [2032, 2060, 2088]


@pytest.mark.parametrize(
    ("line", "same"),
    [("0 */24 * * * x", "0 0 * * * x"), ("*/60 * * * * x", "0 * * * * x")],
)
def test_a_step_beyond_the_field_means_its_first_value(line: str, same: str) -> None:
    after = datetime(2026, 6, 1, tzinfo=UTC)
    job = read_one(line)
    assert preview_times(job, after, "UTC") == old_times(job, after, "UTC") == old_times(read_one(same), after, "UTC")


def test_the_idiom_for_the_first_monday_means_the_first_monday() -> None:
    after = datetime(2026, 6, 1, 12, tzinfo=UTC)
    job = read_one("0 9 */100,1-7 * MON x")
    found = preview_times(job, after, "UTC")
    assert found == old_times(job, after, "UTC")
    assert all((at.isoweekday(), at.day <= 7) == (1, True) for at in found) and len(found) == 10


def test_an_empty_cron_tz_is_the_machines_zone() -> None:
    result = read_crontab("CRON_TZ=Mars/Base\nCRON_TZ=\n0 9 * * * a\n")
    assert [job.settings["timezone"] for job in result.jobs] == ["local"]
    assert [left.line for left in result.left] == [1]


def test_tz_applies_only_to_the_command() -> None:
    """TZ is for the command, CRON_TZ for the times."""
    [job] = read_crontab("TZ=Asia/Tokyo\n0 9 * * * date\n").jobs
    assert job.settings["timezone"] == "local"
    assert "TZ=Asia/Tokyo" in job.commands[0]


@pytest.mark.parametrize(("line", "count"), [("MAILTO=me@example.org", 1), ('MAILTO=""', 0), ("MAILFROM=x", 1)])
def test_mailed_output_is_listed_as_not_sent(line: str, count: int) -> None:
    result = read_crontab(f"{line}\n0 4 * * * x\n")
    assert len(result.left) == count
    assert len(result.jobs) == 1


def test_a_random_delay_becomes_jitter() -> None:
    [job] = read_crontab("RANDOM_DELAY=45\n0 4 * * * x\n").jobs
    assert job.settings["jitter"] == "+45m"
    assert job.notes
    for wrong in ("soon", "1441", "-1"):
        assert read_crontab(f"RANDOM_DELAY={wrong}\n").left[0].line == 1


def test_a_secret_is_never_copied() -> None:
    result = read_crontab("RESTIC_PASSWORD=hunter2\n0 4 * * * restic backup\n")
    assert "hunter2" not in repr(result)
    [left] = result.left
    assert (left.text, "secret" in left.reason) == ("RESTIC_PASSWORD=…", True)


def read_system(text: str) -> TranslationResult:
    return read_crontab(text, system=True, user="me")


def test_only_the_users_lines_of_a_system_crontab_are_translated() -> None:
    result = read_system(
        "17 * * * * root run-parts /etc/cron.hourly\n5 4 * * * me  ~/bin/x --y\n@daily me z\n6 4 * * *\n"
    )
    assert [(job.line, job.title) for job in result.jobs] == [(2, "~/bin/x --y"), (3, "z")]
    assert [left.line for left in result.left] == [1, 4]
    assert "root" in result.left[0].reason


def test_a_comment_right_above_a_line_is_its_title() -> None:
    text = "# My jobs\nPATH=/bin\n0 3 * * * x\n# Back up\n0 4 * * * a\n# About all\n\n0 5 * * * b\n"
    result = read_crontab(text)
    assert [job.title for job in result.jobs] == ["x", "Back up", "b"]
