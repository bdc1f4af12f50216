"""`try`: a script runs for real, in a folder that is thrown away, and what it would do outside is only shown."""

import json
import shlex
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from app.keeping.folder import add_data_dir, data_dir
from app.verbs.deploying import read_script
from app.verbs.human import now, say_status, say_time
from app.verbs.verb import Told, Verb
from scheduler.engine.refusal import RefusedError
from scheduler.engine.user_only import refuse_scripts

if TYPE_CHECKING:
    from scheduler.connections.entries import Entries

_MOST_DAYS = 400
_LONGEST = 200
_MOST_LINES = 10
_DESCRIPTION = """Run a script once without trusting it yet.

It reads for real through your connections. Everything that it would do outside is shown instead of done; where it
would ask you, yes is taken for granted. Commands of jobs are shown and not run. What the script does by itself,
without a tool, is done. Your workflows and their history are not touched.

With --days its schedule is walked forward in simulated time."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--days", type=_days, default=0, metavar="N", help="walk so many days of its schedule")


def _days(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_DAYS):
        raise ArgumentTypeError(f"{text!r} is not a number of days from 1 to {_MOST_DAYS}")
    return int(text)


def _try(options: Namespace) -> Told:
    from app.desk.plain import plain
    from app.platform.zone import machine_zone
    from scheduler.connections.keeper import Keeper
    from scheduler.connections.registry import builtin_registry
    from scheduler.connections.vault import Vault
    from scheduler.engine.workflows.trying.trial import Surroundings, try_script
    from scheduler.engine.workflows.validation import NotValidError

    refuse_scripts("try")  # it reads through connections that nobody allowed the script to use
    path = options.file.absolute()
    source = read_script(path)
    connections, entries = _connections(data_dir(options))
    around = Surroundings(
        registry=builtin_registry(lambda *_: None),
        secrets=Keeper(now, Vault(entries=entries)),
        connections=connections,
        machine_zone=machine_zone(),
        now=now().replace(microsecond=0),
    )
    with _ended_tidily(), TemporaryDirectory(prefix="dayhand-try-") as folder:
        try:
            tried = try_script(
                str(path), source, Path(folder), around, span=timedelta(days=options.days), progress=_tell_progress
            )
        except NotValidError as error:
            raise RefusedError("not valid", "\n".join(error.sentences)) from error
    answer: dict[str, Any] = plain(tried)
    failed = [step for step in answer["steps"] if step["error"]]
    shortfall = f"{failed[0]['handler']} did not get to its end." if failed else None
    return Told(answer, lambda told: _say(told, options.file.name), shortfall)


@contextmanager
def _ended_tidily() -> Iterator[None]:
    """SIGTERM is taken like Ctrl+C, so that what was made is taken down: the window ends a trial so."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _tell_progress(sentence: str) -> None:
    if sys.stderr is not None and sentence:
        sys.stderr.write(f"{sentence}\n")


def _connections(folder: Path) -> "tuple[dict[str, dict[str, Any]], Entries]":
    """Those of the real installation, as they are, and where their secrets are; none if there is none."""
    from app.keeping.entries import read_entries
    from scheduler.connections.entries import Entries
    from scheduler.store import connections
    from scheduler.store.errors import StoreError
    from scheduler.store.health import open_for_reading

    try:
        database = open_for_reading(folder)
    except StoreError:
        return {}, Entries()
    try:
        known = {row.name: row.settings for row in connections.every_one(database.read())}
        return known, read_entries(folder, database.read())
    finally:
        database.close()


def _say(answer: dict[str, Any], file: str) -> Iterator[str]:
    for step in answer["steps"]:
        how = step["error"] or step["summary"] or ""
        details = _details(step)
        if step["times"] > 1:
            more = "more " if how or details else ""
            how, details = f"So {step['times']} {more}times until {say_time(step['until'])}", []
        yield f"{say_time(step['at'])}  {step['handler']}: {say_status(step['status'])}{'. ' if how else ''}{how}"
        yield from details
    if not answer["steps"]:
        yield "Nothing ran: no handler had a reason to."
    yield ""
    said = {step["error"] for step in answer["steps"]}
    yield from (f"At the end it waited: {sentence}" for sentence in answer["waits"] if sentence not in said)
    yield from (f"Note: {warning}" for warning in answer["warnings"])
    number = sum(step["times"] for step in answer["steps"])
    count = f"{number} run{'' if number == 1 else 's'}"
    more = " It would have gone on; so many are enough to see." if answer["is_cut"] else ""
    if answer["began"] == answer["ended"] and answer["goes_on"]:
        more = f" It would go on at {say_time(answer['goes_on'])}; --days 1 shows a day of it."
    yield f"{file}: {count} until {say_time(answer['ended'])}, nothing done outside.{more}"


def _details(step: dict[str, Any]) -> list[str]:
    lines = [f"would ask you: {step['asked']}"] if step["asked"] else []
    if action := step["action"]:
        given = json.dumps(action["parameters"], ensure_ascii=False)
        lines.append(f"would {action['tool']} with {action['connection']}: {_short(given)}")
    lines += _some([f"would run: {_short(shlex.join(words))}" for words in step["commands"]])
    lines += _some([f"| {_short(line)}" for line in step["log"].splitlines()])
    return [f"    {line}" for line in lines]


def _some(lines: list[str]) -> list[str]:
    left = len(lines) - _MOST_LINES + 1
    return lines if left <= 1 else [*lines[:-left], f"… and {left} more"]


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


VERBS = {"try": Verb(_arguments, _try)}
