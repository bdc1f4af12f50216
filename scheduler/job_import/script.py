"""Writes the script of a workflow with one imported job."""

import re
from collections.abc import Iterator

from scheduler.job_import.result import Job

_HANDLER = "run"
"""The name of each imported job in its workflow, which has no other."""
_KEY_COMMENT = "# Imported job "
_KEY = re.compile(rf"^{_KEY_COMMENT}(\S+)$", re.MULTILINE)


def write_script(name: str, job: Job, key: str) -> str:
    """The script of a workflow that has only this job.

    `key` marks it as imported, also after its author has changed it.
    """
    head = f'"""Imported from {_escape(job.place)}: {_escape(job.text)}"""\n\nimport dayhand\n\n'
    flow = f"{_KEY_COMMENT}{key}\nflow = dayhand.Workflow({name!r}, tags=['imported'])\n"
    return head + flow + "\n\n" + "\n".join(_lines(job)) + "\n"


def find_key(script: str) -> str | None:
    """The key of an imported job; None for any other script."""
    found = _KEY.search(script)
    return None if found is None else found[1]


def _lines(job: Job) -> Iterator[str]:
    yield f"# {_escape(job.place)}, line {job.line}: {_escape(job.text)}"
    for note in job.notes:
        yield f"# {_escape(note)}"
    yield "@flow.job("
    for setting, value in job.settings.items():
        yield f"    {setting}={value!r},"
    yield ")"
    yield f"def {_HANDLER}(ctx):"
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
