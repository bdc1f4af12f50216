"""Imported jobs get short, unique names that their user recognizes."""

from pathlib import Path

import pytest
from dayhand._workflow import make_slug
from hypothesis import given
from hypothesis import strategies as st

from scheduler.job_import.crontab import read_crontab
from scheduler.job_import.workflow_names import name_workflows


def name(crontab: str) -> list[str]:
    return name_workflows(read_crontab(crontab).jobs, ())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("0 3 * * * restic backup ~/Documents", "restic backup ~/Documents"),
        (f"0 3 * * * /usr/bin/rsync -a {Path.home()}/x y >/dev/null 2>&1", "rsync -a ~/x y"),
        ("0 3 * * * cd /srv/app && ./manage.py sync", "manage.py sync"),
        ("0 3 * * * nice -n 10 timeout 1h /opt/report --all", "report --all"),
        (
            "0 3 * * * /usr/bin/python3 /srv/report.py --to me@example.com | mail -s x me",
            "report.py --to me@example.com",
        ),
        ("0 3 * * * php artisan schedule:run", "php artisan schedule:run"),
        ('0 3 * * * certbot renew --quiet --deploy-hook "systemctl reload nginx"', "certbot renew"),
        (
            "0 3 * * * rsync -a --delete --exclude /srv/files/tmp /srv/files/ nas:/files/",
            "rsync /srv/files/tmp /srv/files/ nas:/files/",
        ),
        ("* * * * * sleep 30; echo tick $(date) >> /tmp/log", "echo tick $(…)"),
        ("PATH=/opt/bin:/usr/bin\n0 3 * * * sync-mail", "sync-mail"),
        ("0 3 * * * " + "word " * 20, "word word word word word word word word word…"),
        ("0 3 * * * " + "x" * 80, "x" * 47 + "…"),
        ("# Weekly report\n0 3 * * 1 /opt/report", "Weekly report"),
        ("# m h  dom mon dow   command\n0 3 * * 1 report", "report"),
        ("#0 5 * * * old-report\n0 3 * * 1 report", "report"),
        ("#@daily old-report\n0 3 * * 1 report", "report"),
        ("# -------\n0 3 * * 1 report", "report"),
        ("# 日本 ✂\n0 3 * * * x", "日本 ✂"),
        ("0 3 * * * ./+", "Imported job"),
    ],
)
def test_a_job_is_named_after_its_comment_or_its_command(line: str, expected: str) -> None:
    assert name(line) == [expected]


def test_jobs_with_the_same_command_are_numbered() -> None:
    assert name("0 3 * * * a b\n0 4 * * * a b\n0 5 * * * A-b\n") == ["a b", "a b (2)", "A-b (3)"]


def test_names_of_other_workflows_are_not_used() -> None:
    jobs = read_crontab("0 3 * * * restic backup").jobs
    assert name_workflows(jobs, ["restic-backup"]) == ["restic backup (2)"]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1, max_size=8))
def test_every_name_makes_a_slug_of_its_own(commands: list[str]) -> None:
    jobs = read_crontab("\n".join(f"0 3 * * * {command}" for command in commands)).jobs
    slugs = [make_slug(one) for one in name_workflows(jobs, ())]
    assert all(slugs) and len(set(slugs)) == len(jobs)
