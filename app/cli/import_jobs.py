"""`import-jobs`: another scheduler's entries as one paused workflow, with its next times beside ours."""

import getpass
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from app.cli import UsageError
from app.keeping.folder import add_data_dir
from app.verbs.deploying import save_script
from app.verbs.human import now, say_time
from app.verbs.verb import Told, Verb, ask
from scheduler.engine.refusal import RefusedError
from scheduler.importing.crontab import read_crontab
from scheduler.importing.found import Found, Job, Left
from scheduler.importing.script import write_script
from scheduler.importing.systemd import read_systemd
from scheduler.importing.tasks import read_task
from scheduler.timing.instants import write_instant
from scheduler.timing.spec import Spec
from scheduler.timing.words import say
from scheduler.timing.zones import find_zone

_COUNT = 10
_LARGEST = 1_000_000
_TIMES = ("every", "cron", "calendar", "once", "timezone", "start_at", "end_at")
_DESCRIPTION = """Turn the entries of another scheduler into one workflow, which arrives paused.

crontab   a crontab: crontab -l | dayhand import-jobs crontab -
systemd   timers with the services that they start: dayhand import-jobs systemd ~/.config/systemd/user
tasks     tasks of Windows as XML: dayhand import-jobs tasks backup.xml

Shows the next ten times, old and new, and everything that could not be taken over, with the reason."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("kind", choices=["crontab", "systemd", "tasks"], metavar="crontab|systemd|tasks")
    add("files", nargs="+", metavar="FILE", help="where the entries are; - is what comes in")
    add("--name", metavar="NAME", help="of the new workflow (default: Imported from …)")
    add("--into", type=Path, metavar="FILE", help="the script to write (default: here, by that name)")
    add("--system", action="store_true", help="the crontab has a user in its sixth field, as /etc/crontab does")
    add("--check", action="store_true", help="only show what would be imported")


def _import(options: Namespace) -> Told:
    names = _units(options.files) if options.kind == "systemd" else options.files
    texts = {name: _read(name, options.kind) for name in names}
    found = _without_past(_translate(options, texts))
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
        return Told(answer, _say, "Nothing could be imported.")
    if not options.check:
        path = (options.into or Path(f"{name.lower().replace(' ', '_')}.py")).absolute()
        answer |= _deploy(options, path, script)
    return Told(answer, _say)


def _units(names: Iterable[str]) -> Iterator[str]:
    """The files, and those in the folders; links that only say what is enabled lead to nothing new."""
    for name in names:
        path = Path(name).expanduser()
        if not path.is_dir():
            yield name
        elif path.suffix not in (".wants", ".requires"):
            yield from _units(str(one) for one in sorted(path.iterdir()))


def _read(name: str, kind: str) -> str:
    try:
        data = sys.stdin.buffer.read(_LARGEST + 1) if name == "-" else Path(name).expanduser().read_bytes()
    except OSError as error:
        raise RefusedError("file", f"{name} cannot be read: {error.strerror}.") from error
    if len(data) > _LARGEST:
        raise RefusedError("file", f"{name} is too large to be a list of jobs.")
    is_wide = kind == "tasks" and data[:2] in (b"\xff\xfe", b"\xfe\xff")
    try:
        return data.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        raise RefusedError("file", f"{name} is not a text in {'UTF-16' if is_wide else 'UTF-8'}.") from error


def _translate(options: Namespace, texts: dict[str, str]) -> Found:
    if options.system and options.kind != "crontab":
        raise UsageError("--system is for crontabs.")
    if options.kind == "systemd":
        by_name = {_unit(Path(name)): text for name, text in texts.items()}
        if len(by_name) < len(texts):
            raise RefusedError("file", "Two of the files have one name; import them one after the other.")
        found = [read_systemd(by_name, home=str(Path.home()), user=getpass.getuser())]
        if not any(name.endswith(".timer") for name in by_name):
            raise RefusedError("file", "None of the files is a timer; name the .timer files and their .service files.")
    elif options.kind == "tasks":
        found = [read_task(text, place=Path(name).name) for name, text in texts.items()]
    else:
        found = [
            read_crontab(
                text,
                place="crontab" if name == "-" else Path(name).name,
                system=options.system or _is_of_system(name),
                user=getpass.getuser(),
            )
            for name, text in texts.items()
        ]
    return Found(tuple(job for one in found for job in one.jobs), tuple(left for one in found for left in one.left))


def _unit(path: Path) -> str:
    """What systemd calls it; a drop-in counts for the unit that its folder names."""
    return f"{path.parent.name}/{path.name}" if path.parent.suffix == ".d" else path.name


def _without_past(found: Found) -> Found:
    """What will never come again cannot be deployed."""
    over = [job for job in found.jobs if not _times(job)[1]]
    left = [Left(place=job.place, line=job.line, text=job.text, reason="Its last time has passed.") for job in over]
    return Found(tuple(job for job in found.jobs if job not in over), (*found.left, *left))


def _is_of_system(name: str) -> bool:
    path = Path(name).absolute()
    return path == Path("/etc/crontab") or path.parent == Path("/etc/cron.d")


def _times(job: Job) -> tuple[str, list[datetime], list[datetime] | None]:
    """In words, and the next ones: ours, and those of the old scheduler."""
    from app.platform.zone import machine_zone

    machine, after = machine_zone(), now().replace(microsecond=0)
    spec = Spec.read({one: job.settings[one] for one in _TIMES if one in job.settings}, machine_zone=machine, now=after)
    old = None if job.old is None else list(islice(job.old(after, find_zone(machine)), _COUNT))
    return say(spec, viewer_zone=machine), spec.times(machine).upcoming(after, _COUNT), old


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
        "old": None if old is None else [write_instant(at) for at in old],
        "new": [write_instant(at) for at in new],
        "same": None if old is None else old == new,
    }


def _deploy(options: Namespace, path: Path, script: str) -> dict[str, Any]:
    """Write the script and deploy it, paused; what was refused leaves no file behind."""
    save_script(path, script, "choose another file with --into")
    try:
        answer = ask(options, "deploy", path=str(path), source=script, paused=True)
    except BaseException:
        path.unlink()
        raise
    return {"file": str(path), "workflow": answer["workflow"], "warnings": answer["warnings"]}


def _say(answer: dict[str, Any]) -> Iterator[str]:
    for job in answer["jobs"]:
        yield f"{job['handler']}: {job['words']}"
        yield f"    {job['place']}, line {job['line']}: {job['text']}"
        yield from (f"    {note}" for note in job["notes"])
        yield from _say_times(job)
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
        yield f"Take them out of the old scheduler, then: dayhand resume {answer['workflow']}"


def _say_times(job: dict[str, Any]) -> Iterator[str]:
    if job["old"] is None:
        yield "    NEW"
        yield from (f"    {_time(at)}" for at in job["new"])
        return
    yield f"    {'OLD':24}NEW{'' if job['same'] else '                     (not the same)'}"
    for number in range(max(len(job["old"]), len(job["new"]))):
        old, new = (_time(times[number]) if number < len(times) else "-" for times in (job["old"], job["new"]))
        yield f"    {old:24}{new}{'' if old == new else '   ≠'}"


def _time(text: str) -> str:
    return say_time(datetime.fromisoformat(text).isoformat())


VERBS = {"import-jobs": Verb(_arguments, _import)}
