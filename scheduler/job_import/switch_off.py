"""The commands that switch off entries of the old scheduler, so that a job does not run twice. Nothing is run here."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from scheduler.job_import.reader import JobQuery, JobSource, is_system_crontab
from scheduler.job_import.result import Job


def list_switch_off_commands(query: JobQuery, jobs: Sequence[Job]) -> list[str]:
    """To be typed in a terminal; they only comment out or disable, so that everything can be switched on again.

    Empty where it is not known from where the old scheduler reads its entries.
    """
    match query.source:
        case JobSource.SYSTEMD:
            timers = dict.fromkeys(job.place.partition(".d/")[0] for job in jobs)
            return [f"systemctl --user disable --now {shlex.quote(timer)}" for timer in timers]
        case JobSource.CRONTAB if query.is_own_crontab:
            return [f"crontab -l | sed {_comment_out(jobs)} | crontab -"]
        case JobSource.CRONTAB:
            by_place = {Path(name).name: name for name in query.files if is_system_crontab(name)}
            chosen = {name: [job for job in jobs if job.place == place] for place, name in by_place.items()}
            return [f"sudo sed -i {_comment_out(found)} {shlex.quote(name)}" for name, found in chosen.items() if found]
        case JobSource.TASKS:
            return []


def _comment_out(jobs: Sequence[Job]) -> str:
    """One part for each block of lines."""
    lines = sorted({job.line for job in jobs})
    starts = [line for line in lines if line - 1 not in lines]
    ends = [line for line in lines if line + 1 not in lines]
    blocks = [str(first) if first == last else f"{first},{last}" for first, last in zip(starts, ends, strict=True)]
    return shlex.quote("; ".join(f"{block}s/^/#/" for block in blocks))
