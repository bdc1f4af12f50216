"""A workflow's script with imported jobs, as an author would write it."""

import keyword
import re
from collections.abc import Iterable, Iterator

from scheduler.importing.found import Job

_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
_DULL = frozenset({"bin", "sh", "bash", "env", "usr", "local", "opt", "home", "cd", "c", "sbin", "test", "x", "nice"})
_LONGEST_NAME = 40


def write_script(name: str, origin: str, jobs: Iterable[Job]) -> tuple[str, tuple[str, ...]]:
    """The script, and what its jobs are called there, in their order."""
    jobs = tuple(jobs)
    names = name_jobs(jobs)
    head = f'"""{_plain(name)}: imported from {_plain(origin)}."""\n\nimport dayhand\n\n'
    flow = f"flow = dayhand.Workflow({name!r}, tags=['imported'])\n"
    return head + flow + "".join("\n\n" + _write(job, one) for job, one in zip(jobs, names, strict=True)), names


def name_jobs(jobs: Iterable[Job]) -> tuple[str, ...]:
    """A name for each, from its title; each once."""
    taken: dict[str, int] = {}
    names = []
    for job in jobs:
        words = [word.lower() for word in _WORD.findall(job.title) if word.lower() not in _DULL]
        wanted = "_".join(words[:4])[:_LONGEST_NAME].strip("_") or "job"
        if keyword.iskeyword(wanted) or wanted in ("flow", "dayhand"):
            wanted += "_job"
        taken[wanted] = taken.get(wanted, 0) + 1
        while taken[wanted] > 1 and f"{wanted}_{taken[wanted]}" in taken:
            taken[wanted] += 1
        chosen = wanted if taken[wanted] == 1 else f"{wanted}_{taken[wanted]}"
        taken.setdefault(chosen, 1)
        names.append(chosen)
    return tuple(names)


def _write(job: Job, name: str) -> str:
    return "\n".join(_lines(job, name)) + "\n"


def _lines(job: Job, name: str) -> Iterator[str]:
    yield f"# {_plain(job.place)}, line {job.line}: {_plain(job.text)}"
    for note in job.notes:
        yield f"# {_plain(note)}"
    yield "@flow.job("
    for setting, value in job.settings.items():
        yield f"    {setting}={value!r},"
    yield ")"
    yield f"def {name}(ctx):"
    yield f'    """{_plain(job.title)}"""'
    for command in job.commands:
        yield "    ctx.run("
        yield "        ["
        for word in command:
            yield f"            {word!r},"
        yield "        ]"
        yield "    )"


def _plain(text: str) -> str:
    """On one line, without anything that ends a docstring or means something in one."""
    shown = "".join(letter if letter.isprintable() else " " for letter in " ".join(text.split()))
    return shown.replace("\\", "/").replace('"', "'").strip() or "-"
