"""The commands that switch off the old entries only comment out or disable them."""

import shutil
import subprocess

import pytest

from scheduler.job_import.crontab import read_crontab
from scheduler.job_import.reader import JobQuery, JobSource
from scheduler.job_import.switch_off import list_switch_off_commands
from scheduler.job_import.systemd import read_systemd
from tests.job_import.test_systemd import SERVICE, TIMER

CRONTAB = "# a\n0 3 * * * one\n\n0 4 * * * two\n@reboot three\n"


@pytest.mark.skipif(shutil.which("sed") is None, reason="needs sed")
def test_exactly_the_imported_lines_of_the_own_crontab_are_commented_out() -> None:
    query = JobQuery(source=JobSource.CRONTAB)
    [command] = list_switch_off_commands(query, read_crontab(CRONTAB).jobs)
    assert command.startswith("crontab -l | sed ") and command.endswith(" | crontab -")
    edit = command.removeprefix("crontab -l | ").removesuffix(" | crontab -")
    done = subprocess.run(["sh", "-c", edit], input=CRONTAB, capture_output=True, text=True, check=True)
    assert done.stdout == "# a\n#0 3 * * * one\n\n#0 4 * * * two\n@reboot three\n"


def test_a_block_of_lines_is_commented_out_at_once() -> None:
    jobs = read_crontab("@daily a\n@daily b\n@daily c\n@reboot d\n@daily e\n").jobs
    [command] = list_switch_off_commands(JobQuery(source=JobSource.CRONTAB), jobs)
    assert command == "crontab -l | sed '1,3s/^/#/; 5s/^/#/' | crontab -"


def test_a_timer_is_disabled_and_stopped() -> None:
    jobs = read_systemd({"b.timer": TIMER, "b.service": SERVICE}).jobs
    assert list_switch_off_commands(JobQuery(source=JobSource.SYSTEMD), jobs) == [
        "systemctl --user disable --now b.timer"
    ]


def test_nothing_is_suggested_for_a_file_that_cron_may_not_read() -> None:
    query = JobQuery(source=JobSource.CRONTAB, files=("my.cron",))
    assert list_switch_off_commands(query, read_crontab(CRONTAB, place="my.cron").jobs) == []


@pytest.mark.posix("Windows has no crontab")
def test_a_system_crontab_is_edited_as_root() -> None:
    query = JobQuery(source=JobSource.CRONTAB, files=("/etc/cron.d/mine",))
    [command] = list_switch_off_commands(query, read_crontab("@daily x\n", place="mine").jobs)
    assert command == "sudo sed -i '1s/^/#/' /etc/cron.d/mine"
