"""Names for imported jobs: short, unique, and what their user would call them."""

from collections.abc import Collection, Iterable
from itertools import takewhile
from pathlib import Path

from dayhand._command_name import find_command, name_program
from dayhand._workflow import make_slug

from scheduler.job_import.result import Job

_MAX_NAME_CHARS = 48


def name_workflows(jobs: Iterable[Job], taken: Collection[str]) -> list[str]:
    """A name for each job; none has the slug of another or of one that is taken."""
    slugs, names = set(taken), []
    for job in jobs:
        base = suggest_name(job)
        name, number = base, 1
        while make_slug(name) in slugs:
            number += 1
            name = f"{base} ({number})"
        slugs.add(make_slug(name))
        names.append(name)
    return names


def suggest_name(job: Job) -> str:
    """What the old scheduler calls it, or else its command."""
    name = _shorten(job.label) or _shorten(_describe_command(job))
    return name if make_slug(name) else "Imported job"


def _describe_command(job: Job) -> str:
    """The command without what only prepares it; if that is long, without its options."""
    words, home = _drop_interpreter(find_command(list(job.commands[0]))), str(Path.home())
    program = words[0].replace("\\", "/").rstrip("/").rpartition("/")[2] or words[0]
    rest = [word.replace(home, "~") if word.startswith(home) else word for word in words[1:]]
    if len(" ".join([program, *rest])) > _MAX_NAME_CHARS:
        before = list(takewhile(lambda word: not word.startswith("-"), rest))
        rest = before or [word for word in rest if not word.startswith("-")]
    return " ".join([program, *rest])


def _drop_interpreter(words: list[str]) -> list[str]:
    """`python3 report.py` is known as `report.py`."""
    named = name_program(words)
    at = next((number for number, word in enumerate(words) if word.endswith(named)), 0)
    return words[at:] if "." in named else words


def _shorten(text: str) -> str:
    """On one line, and cut at the end of a word."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    if len(line) <= _MAX_NAME_CHARS:
        return line
    cut, _, _ = line[:_MAX_NAME_CHARS].rpartition(" ")
    return f"{cut or line[: _MAX_NAME_CHARS - 1]}…"
