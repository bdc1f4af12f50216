"""`try`: a dry run. The script runs in a temporary folder; its outside actions are shown instead of done."""

import json
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from app.cli.command import Command, CommandResult
from app.cli.deploy import read_script
from app.cli.formatting import format_status, format_time, now
from app.data.data_dir import add_data_dir, data_dir
from scheduler.engine.errors import RefusedError
from scheduler.engine.user_only import require_user
from scheduler.shell_words import join_words
from scheduler.user_text import join_texts, pack

_MAX_DAYS = 400
_MAX_CHARS = 200
_MAX_LINES = 10
_DESCRIPTION = """Test a script before you deploy it.

It reads real data through your connections. Everything it would change through them is shown instead of done, and your
approval is assumed. Commands of jobs are shown, not run. What the script does directly, without a tool, is really done.
Your workflows and their history are not touched.

With --days its schedule runs in simulated time."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--days", type=_days, default=0, metavar="N", help="simulate N days of its schedule")


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MAX_DAYS):
        raise ArgumentTypeError(f"{text!r} is not a number of days from 1 to {_MAX_DAYS}")
    return int(text)


def _try(options: Namespace) -> CommandResult:
    from app.platform.zone import machine_zone
    from scheduler.connections.registry import builtin_registry
    from scheduler.connections.secrets import SecretStore
    from scheduler.connections.vault import Vault
    from scheduler.engine.api.json_values import to_json
    from scheduler.engine.data_folder import read_connections
    from scheduler.engine.dry_run.dry_run import DryRunEnvironment, dry_run_script
    from scheduler.engine.workflows.validation import InvalidScriptError

    require_user("try")  # it may read through every connection, even those the calling script has no permission for
    path = options.file.absolute()
    source = read_script(path)
    connections = read_connections(data_dir(options))
    around = DryRunEnvironment(
        registry=builtin_registry(lambda *_: None),
        secrets=SecretStore(now, Vault(entries=connections.keyring_entries)),
        connections=connections.settings,
        machine_zone=machine_zone(),
        now=now().replace(microsecond=0),
    )
    progress = _print_packed if options.json else _print_progress
    with _terminated_cleanly(), TemporaryDirectory(prefix="dayhand-try-") as folder:
        try:
            tried = dry_run_script(
                str(path),
                source,
                Path(folder),
                around,
                span=timedelta(days=options.days),
                progress=progress,
            )
        except InvalidScriptError as error:
            raise RefusedError("not valid", join_texts(error.sentences, "\n")) from error
    answer: dict[str, Any] = to_json(tried)
    for record, step in zip(answer["steps"], tried.steps, strict=True):
        record["error_text"] = pack(step.error)
    failed = [step for step in answer["steps"] if step["error"]]
    failure = f"{failed[0]['handler']} failed." if failed else None
    return CommandResult(answer, lambda result: _render(result, options.file.name), failure)


@contextmanager
def _terminated_cleanly() -> Iterator[None]:
    """Treat SIGTERM like Ctrl+C, so that everything is cleaned up: the window stops a dry run this way."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _print_progress(sentence: str) -> None:
    if sys.stderr is not None and sentence:
        sys.stderr.write(f"{sentence}\n")


def _print_packed(sentence: str) -> None:
    """For the window, which says it in the user's language."""
    _print_progress(pack(sentence) or "")


def _render(answer: dict[str, Any], file: str) -> Iterator[str]:
    for step in answer["steps"]:
        text = step["error"] or step["summary"] or ""
        details = _details(step)
        if step["times"] > 1:
            more = "more " if text or details else ""
            text, details = f"{step['times']} {more}times until {format_time(step['until'])}", []
        status = f"{format_status(step['status'])}{'. ' if text else ''}{text}"
        yield f"{format_time(step['at'])}  {step['handler']}: {status}"
        yield from details
    if not answer["steps"]:
        yield "Nothing ran: no handler had anything to do."
    yield ""
    shown = {step["error"] for step in answer["steps"]}
    yield from (f"Waiting at the end: {sentence}" for sentence in answer["waits"] if sentence not in shown)
    for topic, count in answer["pending"].items():
        yield f"Still pending: {count:,} event{'' if count == 1 else 's'} of {topic}"
    yield from (f"Note: {warning}" for warning in answer["warnings"])
    number = sum(step["times"] for step in answer["steps"])
    count = f"{number} run{'' if number == 1 else 's'}"
    more = " There would be more runs; the test stops here." if answer["is_cut"] else ""
    if answer["began"] == answer["ended"] and answer["goes_on"]:
        more = f" Next run: {format_time(answer['goes_on'])}; --days 1 shows a whole day."
    yield f"{file}: {count} until {format_time(answer['ended'])}; nothing was changed.{more}"


def _details(step: dict[str, Any]) -> list[str]:
    lines = [f"would ask you: {text} (assumed: {answer})" for text, answer in step["questions"]]
    lines += [f"would ask you: {step['asked']}"] if step["asked"] else []
    if action := step["action"]:
        given = json.dumps(action["parameters"], ensure_ascii=False)
        lines.append(f"would {action['tool']} with {action['connection']}: {_shorten(given)}")
    lines += _first_lines([f"would run: {_shorten(join_words(words))}" for words in step["commands"]])
    lines += _first_lines([f"| {_shorten(line)}" for line in step["log"].splitlines()])
    if step["traceback"].count("\n  File ") > 1:  # otherwise the error says it all
        lines += step["traceback"].splitlines()
    return [f"    {line}" for line in lines]


def _first_lines(lines: list[str]) -> list[str]:
    left = len(lines) - _MAX_LINES + 1
    return lines if left <= 1 else [*lines[:-left], f"… and {left} more"]


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"


VERBS = {"try": Command(_arguments, _try)}
