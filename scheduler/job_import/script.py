"""Writes the script of a workflow with one imported job."""

import keyword
import re
from collections.abc import Iterator

from scheduler.job_import.result import Job

_WORD = re.compile(r"[A-Za-z]\w*", re.ASCII)
_IGNORED_WORDS = frozenset(
    {"bin", "sh", "bash", "env", "usr", "local", "opt", "home", "cd", "c", "sbin", "test", "x", "nice"}
)
_MAX_NAME_LETTERS = 40
_KEY_COMMENT = "# Imported job "
_KEY = re.compile(rf"^{_KEY_COMMENT}(\S+)$", re.MULTILINE)


def write_script(name: str, job: Job, key: str) -> tuple[str, str]:
    """The script of a workflow that has only this job, and the name of the job in it.

    `key` marks it as imported, also after its author has changed it.
    """
    handler = name_handler(job)
    head = f'"""Imported from {_escape(job.place)}: {_escape(job.text)}"""\n\nimport dayhand\n\n'
    flow = f"{_KEY_COMMENT}{key}\nflow = dayhand.Workflow({name!r}, tags=['imported'])\n"
    return head + flow + "\n\n" + "\n".join(_lines(job, handler)) + "\n", handler


def find_key(script: str) -> str | None:
    """The key of an imported job; None for any other script."""
    found = _KEY.search(script)
    return None if found is None else found[1]


def name_handler(job: Job) -> str:
    """A name for its function, from its title."""
    words = [word.lower() for word in _WORD.findall(job.title) if word.lower() not in _IGNORED_WORDS]
    name = "_".join(words[:4])[:_MAX_NAME_LETTERS].strip("_") or "job"
    return f"{name}_job" if keyword.iskeyword(name) or name in ("flow", "dayhand") else name


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
