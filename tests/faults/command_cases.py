"""The commands to be killed: the state before, the command line, and the allowed outcomes."""

import io
import os
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.cli import command_line
from scheduler.connections.errors import SecretMissingError
from scheduler.engine.clock import SystemClock
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store.backups import STORE_FILE, back_up
from scheduler.store.opening import close_store, open_store
from tests.connections.keyring_fixtures import vault_of

Facts = dict[str, str]

FILING = """
import dayhand
flow = dayhand.Workflow("Filing", connections=["table:rows"])
news = flow.topic("news")

@flow.consumer(subscribe=[news], approve="always")
class File:
    def prepare(self, ctx, state):
        batch = ctx.peek(news, limit=10)
        return dayhand.prepared(reserve=batch, data=[e.id for e in batch], say="File") if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("table:rows", "append", rows=[{"id": one} for one in prepared.data])

    def next(self, ctx, prepared, result, state):
        return state
"""
FAILING = FILING.replace('approve="always"', 'approve="never"').replace(
    "        batch =", "        1 / 0\n        batch ="
)
JOB = """
import dayhand
flow = dayhand.Workflow("Chore")

@flow.job(cron="0 4 1 1 *", after_crash="ask")
def work(ctx):
    {body}
"""


@dataclass(frozen=True, kw_only=True)
class Case:
    verb: str
    prepare: Callable[[Path], None]
    """Run in a separate process: it starts threads, which a fork would not have."""
    words: Callable[[Facts, Path], list[str]]
    check: Callable[[Path, Facts], str]
    """`done` or `not done`; fails on anything in between."""
    find: Callable[[Path], Facts] = lambda _: {}
    """Facts that are known after the app has run once."""
    needs_app: bool = True


def _build(folder: Path, act: Callable[[Runtime], Any]) -> None:
    """An engine in real time that runs only what `act` runs."""
    folder.mkdir(parents=True)
    clock = SystemClock()
    database = open_store(folder, clock.now()).database
    runtime = Runtime(database, folder, machine_zone="UTC", clock=clock)
    runtime.recover()
    act(runtime)
    runtime.close()
    close_store(database)


def _run_until_idle(runtime: Runtime) -> None:
    deadline = time.monotonic() + 120
    while runtime.engine.tick(SystemClock().now()) <= SystemClock().now() or runtime.engine.dispatch.in_flight:
        assert time.monotonic() < deadline, "it never became idle"
        time.sleep(0.01)


def _deploy(runtime: Runtime, source: str, name: str, *, grant: bool = True) -> None:
    path = runtime.folder / name
    path.write_text(source)
    runtime.workflow_commands.deploy(runtime.validation.validate(str(path), source), DeployOptions(grant=grant))


def _prepare_filing(source: str = FILING, *, grant: bool = True) -> Callable[[Path], None]:
    def act(runtime: Runtime) -> None:
        (runtime.folder / "rows.csv").touch()
        runtime.connect("table:rows", {"path": str(runtime.folder / "rows.csv")})
        _deploy(runtime, source, "filing.py", grant=grant)
        runtime.event_commands.publish("filing", "news", "e1")
        _run_until_idle(runtime)

    return lambda folder: _build(folder, act)


def _ask(folder: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        return [tuple(row) for row in db.execute(query, values)]


def _find_request(folder: Path) -> Facts:
    [(identity, run)] = _ask(folder, "SELECT id, run FROM requests WHERE answer IS NULL")
    return {"request": identity, "run": run or ""}


def _answer(verb: str) -> Callable[[Facts, Path], list[str]]:
    def words(facts: Facts, folder: Path) -> list[str]:
        return [verb, facts["request"], "--data-dir", str(folder)]

    return words


def _rows(folder: Path) -> int:
    return len((folder / "rows.csv").read_text().splitlines()[1:])


def _check_approve(folder: Path, facts: Facts) -> str:
    [(answer,)] = _ask(folder, "SELECT answer FROM requests WHERE id = ?", facts["request"])
    states = [row[0] for row in _ask(folder, "SELECT state FROM events")]
    if answer is None:
        assert (_rows(folder), states) == (0, ["reserved"])
        return "not done"
    if _ask(folder, "SELECT 1 FROM mutations WHERE status = 'unsure'"):  # killed during the action
        assert answer == "yes" and _rows(folder) <= 1 and states == ["reserved"], (answer, _rows(folder), states)
        return "to be checked, or asked"
    assert answer == "yes" and (_rows(folder), states) == (1, ["consumed"]), (answer, _rows(folder), states)
    return "done"


def _check_edited(folder: Path, facts: Facts) -> str:
    """The changed row, or none; never the one that was asked for."""
    outcome = _check_approve(folder, facts)
    assert (folder / "rows.csv").read_text().splitlines()[1:] in ([], ["changed"])
    return outcome


def _check_reject(folder: Path, facts: Facts) -> str:
    [(answer,)] = _ask(folder, "SELECT answer FROM requests WHERE id = ?", facts["request"])
    states = [row[0] for row in _ask(folder, "SELECT state FROM events")]
    assert _rows(folder) == 0
    assert (answer, states) in ((None, ["reserved"]), ("no", ["skipped"]))
    return "not done" if answer is None else "done"


def _prepare_interrupted(folder: Path) -> None:
    """As after a crash in the middle of a job: its run is active in the store, but not running."""

    def act(runtime: Runtime) -> None:
        _deploy(runtime, JOB.format(body='ctx.done("Done")'), "chore.py")
        runtime.workflow_commands.run("chore", "work")
        _run_until_idle(runtime)

    _build(folder, act)
    with closing(sqlite3.connect(folder / STORE_FILE)) as db:
        db.execute("UPDATE runs SET status = 'active', phase = 'executing', ended = NULL, summary = NULL")
        db.execute("UPDATE occurrences SET state = 'started', ended = NULL, reason = NULL")
        db.commit()


def _check_resolve(folder: Path, facts: Facts) -> str:
    [(answer,)] = _ask(folder, "SELECT answer FROM requests WHERE id = ?", facts["request"])
    blocked = _ask(folder, "SELECT blocked FROM lanes WHERE blocked IS NOT NULL")
    assert (answer, bool(blocked)) in ((None, True), ("happened", False)), (answer, blocked)
    return "not done" if answer is None else "done"


def _check_retry(folder: Path, facts: Facts) -> str:
    """An attempt ended by a kill is followed by another one, which is not a second retry."""
    attempts = [row[0] for row in _ask(folder, "SELECT status FROM runs ORDER BY attempt")]
    failed = [status for status in attempts if status != "crashed"]
    assert failed in (["failed:logic"], ["failed:logic"] * 2), attempts
    assert len(_ask(folder, "SELECT 1 FROM requests WHERE answer IS NULL")) == 1
    return "done" if len(failed) == 2 else "not done"


def _check_grant(folder: Path, facts: Facts) -> str:
    grants = _ask(folder, "SELECT connection, tool FROM grants WHERE kind = 'permission'")
    assert grants in ([], [("table:rows", "append")])
    return "done" if grants else "not done"


def _connect_words(facts: Facts, folder: Path) -> list[str]:
    sys.stdin = io.StringIO('{"secret": "hidden"}')
    return ["connect", "restic:home", "--secrets-from-stdin", "--no-test", "--data-dir", str(folder)]


def _check_connect(folder: Path, facts: Facts) -> str:
    """The keyring comes first: the next connect removes an entry without a row; a row without an entry is wrong."""
    rows = _ask(folder, "SELECT name FROM connections WHERE name = 'restic:home'")
    try:
        kept = vault_of(folder).get("restic:home")
    except SecretMissingError:
        kept = None
    assert kept in (None, {"secret": "hidden"})
    assert not rows or kept is not None, "connected without a secret"
    vault_of(folder).remove("restic:home")  # copies of a folder share their entries
    return "done" if rows else "not done"


def _deploy_words(facts: Facts, folder: Path) -> list[str]:
    (folder / "new.py").write_text(JOB.format(body='ctx.done("New")').replace("0 4 1 1", "0 5 1 1"))
    return ["deploy", str(folder / "new.py"), "--replace", "--data-dir", str(folder)]


def _prepare_job(folder: Path) -> None:
    _build(folder, lambda runtime: _deploy(runtime, JOB.format(body='ctx.done("Old")'), "chore.py"))


def _check_deploy(folder: Path, facts: Facts) -> str:
    [(version,)] = _ask(folder, "SELECT script FROM workflows")
    numbers = [row[0] for row in _ask(folder, "SELECT number FROM scripts ORDER BY number")]
    [(spec,)] = _ask(folder, "SELECT spec FROM schedules")
    assert (version, numbers, "0 5 1 1" in spec) in ((1, [1], False), (2, [1, 2], True)), (version, numbers, spec)
    return "done" if version == 2 else "not done"


def _prepare_import(folder: Path) -> None:
    _prepare_job(folder)
    other = folder.with_name("other")
    _prepare_filing()(other)
    export = folder.with_name("other.zip")
    assert command_line.run(["export", str(export), "--data-dir", str(other)]) == 0


def _find_export(folder: Path) -> Facts:
    return {"export": str(folder.with_name("other.zip"))}


def _check_import(folder: Path, facts: Facts) -> str:
    names = [row[0] for row in _ask(folder, "SELECT slug FROM workflows")]
    asides = list(folder.glob("dayhand-replaced-*.db"))
    if names == ["chore"]:
        assert not asides
        return "not done"
    assert names == ["filing"] and len(asides) == 1, (names, asides)
    assert [row[0] for row in _ask(folder, "SELECT status FROM workflows")] == ["paused"]
    with closing(sqlite3.connect(asides[0])) as db:
        assert db.execute("SELECT slug FROM workflows").fetchall() == [("chore",)], "the old data is kept"
    return "done"


def _prepare_restore(folder: Path) -> None:
    def act(runtime: Runtime) -> None:
        _deploy(runtime, JOB.format(body='ctx.done("Old")'), "chore.py")
        back_up(folder, SystemClock().now())
        runtime.workflow_commands.remove("chore")

    _build(folder, act)


def _check_restore(folder: Path, facts: Facts) -> str:
    names = _ask(folder, "SELECT slug, status FROM workflows")
    asides = list(folder.glob("dayhand-replaced-*.db"))
    assert (names, len(asides)) in (([], 0), ([("chore", "paused")], 1)), (names, asides)
    return "done" if names else "not done"


def _with(*words: str) -> Callable[[Facts, Path], list[str]]:
    return lambda facts, folder: [*(word.format(**facts) for word in words), "--data-dir", str(folder)]


CASES = (
    Case(verb="approve", prepare=_prepare_filing(), find=_find_request, words=_answer("approve"), check=_check_approve),
    Case(
        verb="approve-changed", prepare=_prepare_filing(), find=_find_request,
        words=_with("approve", "{request}", "--set", 'rows=[{{"id": "changed"}}]'), check=_check_edited,
    ),
    Case(verb="reject", prepare=_prepare_filing(), find=_find_request, words=_answer("reject"), check=_check_reject),
    Case(
        verb="resolve", prepare=_prepare_interrupted, find=_find_request,
        words=_with("resolve", "{run}", "happened"), check=_check_resolve,
    ),
    Case(
        verb="retry", prepare=_prepare_filing(FAILING), find=_find_request,
        words=_with("retry", "{run}"), check=_check_retry,
    ),
    Case(
        verb="grant", prepare=_prepare_filing(grant=False),
        words=_with("grant", "filing", "table:rows", "append"), check=_check_grant,
    ),
    Case(verb="connect", prepare=_prepare_job, words=_connect_words, check=_check_connect),
    Case(verb="deploy", prepare=_prepare_job, words=_deploy_words, check=_check_deploy),
    Case(
        verb="import", prepare=_prepare_import, find=_find_export,
        words=_with("import", "{export}", "--replace"), check=_check_import, needs_app=False,
    ),
    Case(verb="restore", prepare=_prepare_restore, words=_with("restore"), check=_check_restore, needs_app=False),
)  # fmt: skip

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
