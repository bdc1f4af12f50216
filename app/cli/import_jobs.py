"""`import-jobs`: another scheduler's jobs as one paused workflow, with its next times beside ours."""

import getpass
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from app.cli.command import Command, CommandResult, call_api
from app.cli.command_line import UsageError
from app.cli.deploy import save_script
from app.cli.formatting import format_time, now
from app.data.data_dir import add_data_dir
from scheduler.engine.errors import RefusedError
from scheduler.job_import.crontab import CronProgram, read_crontab
from scheduler.job_import.result import Job, TranslationResult, Untranslated
from scheduler.job_import.script import write_script
from scheduler.job_import.systemd import read_systemd
from scheduler.job_import.windows_tasks import read_task
from scheduler.timing.description import describe_schedule
from scheduler.timing.instants import format_instant
from scheduler.timing.spec import ScheduleSpec
from scheduler.timing.zones import find_zone

_TIMES_SHOWN = 10
_MAX_FILE_BYTES = 1_000_000
_TIME_SETTINGS = ("every", "cron", "calendar", "once", "timezone", "start_at", "end_at")
_DESCRIPTION = """Import the jobs of another scheduler as one workflow, which starts paused.

crontab   a crontab: crontab -l | dayhand import-jobs crontab -
systemd   timers with the services they start: dayhand import-jobs systemd ~/.config/systemd/user
tasks     Windows tasks as XML: dayhand import-jobs tasks backup.xml

Shows the next ten times, old and new, and everything that could not be imported, with the reason."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("kind", choices=["crontab", "systemd", "tasks"], metavar="crontab|systemd|tasks")
    add("files", nargs="+", metavar="FILE", help="the files to import; - is stdin")
    add("--name", metavar="NAME", help="name of the new workflow (default: Imported from …)")
    add("--into", type=Path, metavar="FILE", help="the script to write (default: in this folder, by that name)")
    add("--system", action="store_true", help="the crontab has a user in its sixth field, like /etc/crontab")
    add(
        "--cron",
        choices=[one.value for one in CronProgram],
        metavar="debian|cronie",
        help="the cron that ran the crontab: Debian's does not know CRON_TZ",
    )
    add("--check", action="store_true", help="only show what would be imported")


def _import(options: Namespace) -> CommandResult:
    names = _unit_files(options.files) if options.kind == "systemd" else options.files
    texts = {name: _read(name, options.kind) for name in names}
    found = _drop_expired(_translate(options, texts))
    name = options.name or f"Imported from {options.kind}"
    script, names = write_script(name, ", ".join(Path(one).name for one in texts), found.jobs)
    answer: dict[str, Any] = {
        "jobs": [_compare(job, one) for job, one in zip(found.jobs, names, strict=True)],
        "left": [{"place": one.place, "line": one.line, "text": one.text, "reason": one.reason} for one in found.left],
        "file": None,
        "workflow": None,
        "warnings": [],
    }
    if not found.jobs:
        return CommandResult(answer, _render, "Nothing could be imported.")
    if not options.check:
        path = (options.into or Path(f"{name.lower().replace(' ', '_')}.py")).absolute()
        answer |= _deploy(options, path, script)
    return CommandResult(answer, _render)


def _unit_files(names: Iterable[str]) -> Iterator[str]:
    """The files, and those in folders; folders of links to enabled units are left out."""
    for name in names:
        path = Path(name).expanduser()
        if not path.is_dir():
            yield name
        elif path.suffix not in (".wants", ".requires"):
            yield from _unit_files(str(one) for one in sorted(path.iterdir()))


def _read(name: str, kind: str) -> str:
    try:
        data = sys.stdin.buffer.read(_MAX_FILE_BYTES + 1) if name == "-" else Path(name).expanduser().read_bytes()
    except OSError as error:
        raise RefusedError("file", f"{name} cannot be read: {error.strerror}.") from error
    if len(data) > _MAX_FILE_BYTES:
        raise RefusedError("file", f"{name} is too large to be a list of jobs.")
    is_wide = kind == "tasks" and data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return data.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError("file", f"{name} is not {'UTF-16' if is_wide else 'UTF-8'} text.") from error


def _translate(options: Namespace, texts: dict[str, str]) -> TranslationResult:
    if options.system and options.kind != "crontab":
        raise UsageError("--system is only for crontabs.")
    if options.cron is not None and options.kind != "crontab":
        raise UsageError("--cron is only for crontabs.")
    if options.kind == "systemd":
        by_name = {_unit_name(Path(name)): text for name, text in texts.items()}
        if len(by_name) < len(texts):
            raise RefusedError("file", "Two of the files have the same name; import them one at a time.")
        found = [read_systemd(by_name, home=str(Path.home()), user=getpass.getuser())]
        if not any(name.endswith(".timer") for name in by_name):
            raise RefusedError("file", "None of the files is a timer; give the .timer files and their .service files.")
    elif options.kind == "tasks":
        found = [read_task(text, place=Path(name).name) for name, text in texts.items()]
    else:
        found = [
            read_crontab(
                text,
                place="crontab" if name == "-" else Path(name).name,
                system=options.system or _is_system_crontab(name),
                user=getpass.getuser(),
                cron=None if options.cron is None else CronProgram(options.cron),
            )
            for name, text in texts.items()
        ]
    return TranslationResult(
        tuple(job for one in found for job in one.jobs), tuple(left for one in found for left in one.left)
    )


def _unit_name(path: Path) -> str:
    """The name in systemd; a drop-in has that of its unit before it."""
    return f"{path.parent.name}/{path.name}" if path.parent.suffix == ".d" else path.name


def _drop_expired(found: TranslationResult) -> TranslationResult:
    """Move jobs without a future time to those that are not imported: they cannot be deployed."""
    expired = [job for job in found.jobs if not _times(job)[1]]
    left = [
        Untranslated(place=job.place, line=job.line, text=job.text, reason="Its last time is over.") for job in expired
    ]
    return TranslationResult(tuple(job for job in found.jobs if job not in expired), (*found.left, *left))


def _is_system_crontab(name: str) -> bool:
    path = Path(name).absolute()
    return path == Path("/etc/crontab") or path.parent == Path("/etc/cron.d")


def _times(job: Job) -> tuple[str, list[datetime], list[datetime] | None]:
    """A description, our next times, and the next times of the old scheduler."""
    from app.platform.zone import machine_zone

    machine, after = machine_zone(), now().replace(microsecond=0)
    spec = ScheduleSpec.read(
        {one: job.settings[one] for one in _TIME_SETTINGS if one in job.settings}, machine_zone=machine, now=after
    )
    old = None if job.old is None else list(islice(job.old(after, find_zone(machine)), _TIMES_SHOWN))
    return describe_schedule(spec, viewer_zone=machine), spec.compile(machine).upcoming(after, _TIMES_SHOWN), old


def _compare(job: Job, name: str) -> dict[str, Any]:
    words, new, old = _times(job)
    return {
        "handler": name,
        "title": job.title,
        "place": job.place,
        "line": job.line,
        "text": job.text,
        "words": words,
        "notes": list(job.notes),
        "old": None if old is None else [format_instant(at) for at in old],
        "new": [format_instant(at) for at in new],
        "same": None if old is None else old == new,
    }


def _deploy(options: Namespace, path: Path, script: str) -> dict[str, Any]:
    """Write the script and deploy it paused; a refusal leaves no file behind."""
    save_script(path, script, "choose another file with --into")
    try:
        answer = call_api(options, "deploy", path=str(path), source=script, paused=True)
    except BaseException:
        path.unlink()
        raise
    return {"file": str(path), "workflow": answer["workflow"], "warnings": answer["warnings"]}


def _render(answer: dict[str, Any]) -> Iterator[str]:
    for job in answer["jobs"]:
        yield f"{job['handler']}: {job['words']}"
        yield f"    {job['place']}, line {job['line']}: {job['text']}"
        yield from (f"    {note}" for note in job["notes"])
        yield from _render_times(job)
        yield ""
    if answer["left"]:
        yield "Not imported:"
        for one in answer["left"]:
            yield f"    {one['place']}, line {one['line']}: {one['text']}"
            yield f"        {one['reason']}"
        yield ""
    yield from (f"Note: {warning}" for warning in answer["warnings"])
    if answer["workflow"] is not None:
        count = f"{len(answer['jobs'])} job{'' if len(answer['jobs']) == 1 else 's'}"
        yield f"{count} in {answer['file']}, deployed as {answer['workflow']} and paused."
        yield f"Remove them from the old scheduler, then: dayhand resume {answer['workflow']}"


def _render_times(job: dict[str, Any]) -> Iterator[str]:
    if job["old"] is None:
        yield "    NEW"
        yield from (f"    {_time(at)}" for at in job["new"])
        return
    yield f"    {'OLD':24}NEW{'' if job['same'] else '                     (different)'}"
    for number in range(max(len(job["old"]), len(job["new"]))):
        old, new = (_time(times[number]) if number < len(times) else "-" for times in (job["old"], job["new"]))
        yield f"    {old:24}{new}{'' if old == new else '   ≠'}"


def _time(text: str) -> str:
    return format_time(datetime.fromisoformat(text).isoformat())


VERBS = {"import-jobs": Command(_arguments, _import)}
