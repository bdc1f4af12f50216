"""Writes the script of a workflow with imported jobs."""

import keyword
import re
from collections.abc import Iterable, Iterator

from scheduler.job_import.result import Job

_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
_IGNORED_WORDS = frozenset(
    {"bin", "sh", "bash", "env", "usr", "local", "opt", "home", "cd", "c", "sbin", "test", "x", "nice"}
)
_MAX_NAME_LETTERS = 40


def write_script(name: str, origin: str, jobs: Iterable[Job]) -> tuple[str, tuple[str, ...]]:
    """The script, and the names of its jobs in order."""
    jobs = tuple(jobs)
    names = name_jobs(jobs)
    head = f'"""{_escape(name)}: imported from {_escape(origin)}."""\n\nimport dayhand\n\n'
    flow = f"flow = dayhand.Workflow({name!r}, tags=['imported'])\n"
    return head + flow + "".join("\n\n" + _write_job(job, one) for job, one in zip(jobs, names, strict=True)), names


def name_jobs(jobs: Iterable[Job]) -> tuple[str, ...]:
    """A unique name for each job, from its title."""
    taken: dict[str, int] = {}
    names = []
    for job in jobs:
        words = [word.lower() for word in _WORD.findall(job.title) if word.lower() not in _IGNORED_WORDS]
        base = "_".join(words[:4])[:_MAX_NAME_LETTERS].strip("_") or "job"
        if keyword.iskeyword(base) or base in ("flow", "dayhand"):
            base += "_job"
        taken[base] = taken.get(base, 0) + 1
        while taken[base] > 1 and f"{base}_{taken[base]}" in taken:
            taken[base] += 1
        name = base if taken[base] == 1 else f"{base}_{taken[base]}"
        taken.setdefault(name, 1)
        names.append(name)
    return tuple(names)


def _write_job(job: Job, name: str) -> str:
    return "\n".join(_lines(job, name)) + "\n"


def _lines(job: Job, name: str) -> Iterator[str]:
    yield f"# {_escape(job.place)}, line {job.line}: {_escape(job.text)}"
    for note in job.notes:
        yield f"# {_escape(note)}"
    yield "@flow.job("
    for setting, value in job.settings.items():
        yield f"    {setting}={value!r},"
    yield ")"
    yield f"def {name}(ctx):"
    yield f'    """{_escape(job.title)}"""'
    for command in job.commands:
        yield "    ctx.run("
        yield "        ["
        for word in command:
            yield f"            {word!r},"
        yield "        ]"
        yield "    )"


def _escape(text: str) -> str:
    """On one line, without characters that have a meaning in a docstring."""
    shown = "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
    return shown.replace("\\", "/").replace('"', "'").strip() or "-"
