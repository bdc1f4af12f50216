"""Imports jobs of another scheduler, each as a workflow with a file of its own. For the window and the command line.

Whatever was imported before is left alone, so an import that was interrupted continues when it is repeated.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from dayhand._workflow import make_slug

from scheduler.engine.errors import RefusedError
from scheduler.job_import.comparison import TimesComparison, compare_times, drop_expired
from scheduler.job_import.reader import JobFileError, JobQuery, read_jobs
from scheduler.job_import.result import Job, Untranslated
from scheduler.job_import.script import write_script
from scheduler.job_import.workflow_names import name_workflows
from scheduler.user_text import UserText

Call = Callable[..., dict[str, Any]]
"""Runs a verb of the API with its arguments and returns the answer, or raises RefusedError."""
_FATAL_CODES = ("lost", "not running", "user only")
"""Errors that every further job would meet, too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobImport:
    """One job of the old scheduler, as it would be imported."""

    job: Job
    key: str
    name: str
    """Of its workflow."""
    times: TimesComparison
    known_as: str | None
    """The workflow that it already is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    query: JobQuery
    jobs: tuple[JobImport, ...]
    left: tuple[Untranslated, ...]

    @property
    def new(self) -> tuple[JobImport, ...]:
        return tuple(one for one in self.jobs if one.known_as is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportResult:
    """What became of one job."""

    planned: JobImport
    workflow: str | None = None
    path: Path | None = None
    error: str = ""
    warnings: tuple[str, ...] = ()


def plan_import(
    query: JobQuery, call: Call | None, machine_zone: str, now: datetime, *, name: str | None = None
) -> ImportPlan:
    """Read the jobs and name them; `name` is for a single one. Without `call`, there were no earlier imports."""
    try:
        found = read_jobs(query)
    except JobFileError as error:
        raise RefusedError("file", error.sentence) from error
    after = now.replace(microsecond=0)
    found = drop_expired(found, machine_zone, after)
    store = {"jobs": [], "taken": []} if call is None else call("imported_jobs")
    known = {one["key"]: one for one in store["jobs"]}
    keys = list(_number_keys(found.jobs))
    new = [job for job, key in zip(found.jobs, keys, strict=True) if key not in known]
    names = dict(zip(map(id, new), name_workflows(new, store["taken"]), strict=True))
    jobs = tuple(
        JobImport(
            job=job,
            key=key,
            name=known[key]["name"] if key in known else name or names[id(job)],
            times=compare_times(job, machine_zone, after),
            known_as=known[key]["workflow"] if key in known else None,
        )
        for job, key in zip(found.jobs, keys, strict=True)
    )
    return ImportPlan(query=query, jobs=jobs, left=found.left)


def import_jobs(jobs: Sequence[JobImport], folder: Path, call: Call, *, paused: bool) -> Iterator[ImportResult]:
    """Import one after the other. A job that is refused is reported with its reason, and the others go on."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise RefusedError(
            "file", UserText("{file} cannot be written: {reason}.", file=str(folder), reason=reason)
        ) from error
    for one in jobs:
        script = write_script(one.name, one.job, one.key)
        path = _write_new(folder, make_slug(one.name).replace("-", "_"), script)
        try:
            answer = call("deploy", path=str(path), source=script, paused=paused)
        except RefusedError as error:
            path.unlink(missing_ok=True)
            if error.code in _FATAL_CODES:
                raise
            yield ImportResult(planned=one, error=error.sentence)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        else:
            yield ImportResult(
                planned=one, workflow=answer["workflow"], path=path, warnings=tuple(answer.get("warnings", ()))
            )


def undo_import(results: Iterable[ImportResult], call: Call) -> int:
    """Remove what an import has just created; returns how many workflows that were."""
    removed = 0
    for one in results:
        if one.workflow is not None and one.path is not None:
            call("remove", workflow=one.workflow)
            with suppress(OSError):
                one.path.unlink()
            removed += 1
    return removed


def _number_keys(jobs: Iterable[Job]) -> Iterator[str]:
    """The old scheduler starts an entry that it has twice, twice."""
    seen: Counter[str] = Counter()
    for job in jobs:
        seen[job.key] += 1
        yield job.key if seen[job.key] == 1 else f"{job.key}-{seen[job.key]}"


def _write_new(folder: Path, stem: str, script: str) -> Path:
    """Write a new file, never over an existing one."""
    number = 1
    while True:
        path = (folder / (f"{stem}.py" if number == 1 else f"{stem}_{number}.py")).absolute()
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(script)
        except FileExistsError:
            number += 1
        except OSError as error:
            reason = error.strerror or error
            raise RefusedError(
                "file", UserText("{file} cannot be written: {reason}.", file=str(path), reason=reason)
            ) from error
        else:
            return path
