"""`import-jobs`: another scheduler's jobs, each as a workflow, with its next times beside ours."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from app.cli.command import Command, CommandResult, call_api
from app.cli.command_line import UsageError, print_to_stderr
from app.cli.formatting import format_time, now
from app.data.data_dir import add_data_dir, data_dir
from app.job_importer import ImportPlan, ImportResult, JobImport, import_jobs, plan_import
from scheduler.job_import.crontab import CronProgram
from scheduler.job_import.reader import JobQuery, JobSource
from scheduler.job_import.result import Untranslated
from scheduler.job_import.switch_off import list_switch_off_commands
from scheduler.timing.instants import format_instant

_DEFAULT_FOLDER = "imported_jobs"
_PROGRESS_STEP = 25
"""After how many jobs progress is shown."""
_DESCRIPTION = """Import the jobs of another scheduler. Each becomes a workflow of its own, which starts paused.

crontab   your crontab, or files: dayhand import-jobs crontab [FILE …]
systemd   your timers, or files and folders: dayhand import-jobs systemd [backup.timer …]
tasks     Windows tasks as XML: dayhand import-jobs tasks backup.xml

Compares the next ten times, old and new, and shows them where they differ or with --times; lists everything that could
not be imported, with the reason. What was imported before is left alone, so it can be repeated at any time."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    add = parser.add_argument
    add("kind", choices=[one.value for one in JobSource], metavar="crontab|systemd|tasks")
    add("files", nargs="*", metavar="FILE", help="the files to import; - is stdin; none: your own crontab or timers")
    add("--name", metavar="NAME", help="name of the new workflow, if there is only one job")
    add("--into", type=Path, metavar="DIR", help=f"the folder for the scripts (default: {_DEFAULT_FOLDER})")
    add("--start", action="store_true", help="start them now instead of paused")
    add("--system", action="store_true", help="the crontab has a user in its sixth field, like /etc/crontab")
    add(
        "--cron",
        choices=[one.value for one in CronProgram],
        metavar="debian|cronie",
        help="the cron that ran the crontab: Debian's does not know CRON_TZ",
    )
    add("--check", action="store_true", help="only show what would be imported")
    add("--times", action="store_true", help="show the next ten times of every job, old and new")


def _import(options: Namespace) -> CommandResult:
    from app.platform.zone import machine_zone

    if options.kind != JobSource.CRONTAB and (options.system or options.cron):
        raise UsageError(f"--{'system' if options.system else 'cron'} is only for crontabs.")

    def call(verb: str, **arguments: Any) -> dict[str, Any]:
        return call_api(options, verb, **arguments)

    query = JobQuery(
        source=JobSource(options.kind),
        files=tuple(options.files),
        has_user_field=options.system,
        cron=None if options.cron is None else CronProgram(options.cron),
    )
    is_first = not data_dir(options).exists()
    plan = plan_import(query, None if is_first else call, machine_zone(), now(), name=options.name)
    if options.name and len(plan.jobs) > 1:
        raise UsageError(f"--name is for a single job, but there are {len(plan.jobs)}.")
    results = [] if options.check else _run(plan, options, call)
    return CommandResult(_answer(plan, results), _make_renderer(options, plan), _describe_failure(plan, results))


def _run(plan: ImportPlan, options: Namespace, call: Callable[..., dict[str, Any]]) -> list[ImportResult]:
    results = []
    folder = (options.into or Path(_DEFAULT_FOLDER)).expanduser()
    for one in import_jobs(plan.new, folder, call, paused=not options.start) if plan.new else ():
        results.append(one)
        if len(results) % _PROGRESS_STEP == 0:
            print_to_stderr(f"{len(results)} of {len(plan.new)} …")
    return results


def _describe_failure(plan: ImportPlan, results: list[ImportResult]) -> str | None:
    if not plan.jobs:
        return "Nothing could be imported."
    refused = sum(one.workflow is None for one in results)
    return f"{refused} of {len(results)} could not be imported." if refused else None


def _answer(plan: ImportPlan, results: list[ImportResult]) -> dict[str, Any]:
    by_key = {one.planned.key: one for one in results}
    created = [one for one in results if one.workflow is not None]
    chosen = [one.planned.job for one in created] if results else [one.job for one in plan.new]
    return {
        "jobs": [_show(one, by_key.get(one.key)) for one in plan.jobs],
        "left": [_show_left(one) for one in plan.left],
        "created": [one.workflow for one in created],
        "switch_off": list_switch_off_commands(plan.query, chosen) if chosen else [],
    }


def _show(one: JobImport, result: ImportResult | None) -> dict[str, Any]:
    job, times = one.job, one.times
    return {
        "name": one.name,
        "title": job.title,
        "place": job.place,
        "line": job.line,
        "text": job.text,
        "words": times.words,
        "notes": list(job.notes),
        "old": None if times.old is None else [format_instant(at) for at in times.old],
        "new": [format_instant(at) for at in times.new],
        "same": times.is_same,
        "imported_before": one.known_as,
        "workflow": one.known_as or (None if result is None else result.workflow),
        "file": None if result is None or result.path is None else str(result.path),
        "error": None if result is None else result.error or None,
        "warnings": [] if result is None else list(result.warnings),
    }


def _show_left(one: Untranslated) -> dict[str, Any]:
    return {
        "place": one.place,
        "line": one.line,
        "text": one.text,
        "reason": one.reason,
        "is_setting": one.is_setting,
    }


def _make_renderer(options: Namespace, plan: ImportPlan) -> Callable[[dict[str, Any]], Iterator[str]]:
    def render(answer: dict[str, Any]) -> Iterator[str]:
        for job in answer["jobs"]:
            yield from _render_job(job, with_times=options.times or len(answer["jobs"]) == 1)
        yield ""
        same = sum(job["same"] is True and not job["imported_before"] for job in answer["jobs"])
        if same and not options.times:
            yield f"The next ten times of {_count(same)} are the same, old and new; --times shows them."
            yield ""
        yield from _render_left("Not imported:", [one for one in answer["left"] if not one["is_setting"]])
        yield from _render_left("Settings left out:", [one for one in answer["left"] if one["is_setting"]])
        yield from _render_end(answer, plan, is_started=options.start)

    return render


def _render_left(title: str, left: Sequence[dict[str, Any]]) -> Iterator[str]:
    if not left:
        return
    yield title
    for one in left:
        yield f"    {one['place']}, line {one['line']}: {one['text']}"
        yield f"        {one['reason']}"
    yield ""


def _render_job(job: dict[str, Any], *, with_times: bool) -> Iterator[str]:
    """Its times only if they differ, or if they were asked for."""
    yield f"{job['name']}: {job['words']}"
    yield f"    {job['place']}, line {job['line']}: {job['text']}"
    if job["imported_before"]:
        yield f"    Imported before, as {job['imported_before']}; nothing was changed."
        return
    yield from (f"    {note}" for note in job["notes"])
    if with_times or job["same"] is False:
        yield from _render_times(job)
    else:
        yield f"    Next: {_time(job['new'][0])}"
    yield from (f"    Note: {warning}" for warning in job["warnings"])
    if job["error"]:
        yield f"    Not imported: {job['error']}"


def _render_end(answer: dict[str, Any], plan: ImportPlan, *, is_started: bool) -> Iterator[str]:
    created, known = answer["created"], len(plan.jobs) - len(plan.new)
    if known:
        yield f"{_count(known)} {'was' if known == 1 else 'were'} imported before."
    if not created:
        return
    folder = Path(next(job["file"] for job in answer["jobs"] if job["file"])).parent
    yield f"{_count(len(created))} imported, {'started' if is_started else 'paused'}, in {folder}:"
    yield from (f"    {job['workflow']}" for job in answer["jobs"] if job["workflow"] in created)
    yield "Switch them off in the old scheduler, or they run twice:"
    yield from (f"    {command}" for command in answer["switch_off"] or ["(remove the entries listed above)"])
    names = " ".join(created)
    if not is_started:
        yield f"Then start them: dayhand resume {names}"
    yield f"To undo: dayhand remove {names}"


def _count(number: int) -> str:
    return f"{number} job{'' if number == 1 else 's'}"


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
