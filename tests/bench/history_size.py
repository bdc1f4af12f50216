"""The cost of a long history: the same steps on a store with a thousand runs and with a million."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scheduler.engine.queries.queries import WorkflowQueries
from scheduler.engine.runs import start
from scheduler.engine.runs.finish import AttemptFinisher
from scheduler.engine.runtime import Runtime
from scheduler.engine.scheduling.launcher import Work
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.history_query import HistoryQuery, QuietRuns
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import RunPhase
from scheduler.store import events, handlers, history_index, mutations, occurrences, runs
from scheduler.store.database import to_ms
from scheduler.store.mutations import MutationRow
from scheduler.store.next_wake import read_next_wake
from scheduler.store.opening import close_store, open_store
from tests.bench.measure import Figure, alternate

SMALL, LARGE = 1_000, 1_000_000
WORKFLOWS = 3
SCRIPT = '''"""Receipts: file new receipts."""
import dayhand

flow = dayhand.Workflow("Bench 0", connections=["table:expenses"])
mails = flow.topic("mails")


@flow.producer(cron="0 4 1 1 *", publishes=[mails], run_on_deploy=False)
def poll(ctx, state):
    return state


@flow.consumer(subscribe=[mails])
class File:
    def prepare(self, ctx, state):
        batch = ctx.peek(mails, limit=10)
        return dayhand.prepared(reserve=batch, say="File them") if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=[{"n": 1}])


@flow.job(cron="30 4 1 1 *")
def tidy(ctx):
    ctx.done("Tidied")
'''

# Half of the runs are a producer's, with an occurrence; the others a consumer's, with an event and an outside action.
# Some have nothing to report, up to three in a row.
_FILLING = """
CREATE TEMP TABLE n AS
    WITH RECURSIVE counted(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM counted WHERE i < :number)
    SELECT i, 'bench-' || (i % :workflows) AS workflow, :now - (:number - i) * 60000 AS at, i % 4 = 0 AS failed,
        CASE i % 5 WHEN 0 THEN 'Bakery' WHEN 1 THEN 'Garage' WHEN 2 THEN 'Harbour' WHEN 3 THEN 'Museum'
            ELSE 'Airline' END AS word, i % 4 <> 0 AND i % 5 NOT IN (2, 3) AS quiet
    FROM counted;
INSERT INTO events (workflow, topic, id, sequence, title, data, state, run, published)
    SELECT workflow, 'mails', 'old' || i, i, 'Receipt of ' || word, json_object('n', i), 'consumed', 'run' || i, at
    FROM n;
INSERT INTO events (workflow, topic, id, sequence, title, data, state, published)
    SELECT 'bench-0', 'mails', 'new' || i, :number + i, 'Receipt of ' || word, json_object('n', i), 'pending', :now
    FROM n;
INSERT INTO occurrences (key, schedule, planned, due, origin, state, created, began, ended)
    SELECT 'key' || i, workflow || '/poll', at, at, 'automatic', iif(i % 50 = 7, 'skipped', 'succeeded'), at,
        iif(i % 50 = 7, NULL, at), at + 900
    FROM n WHERE i % 2 = 1;
INSERT INTO runs (id, workflow, handler, kind, trigger, occurrence, script, chain, phase, status, prepared, summary,
        error, followed, created, updated, began, ended)
    SELECT 'run' || i, workflow, iif(i % 2, 'poll', 'File'), iif(i % 2, 'producer', 'consumer'),
        iif(i % 2, 'automatic', 'event'), iif(i % 2, 'key' || i, NULL), 1, 'run' || i,
        iif(failed, 'preparing', 'committed'), iif(failed, 'failed:logic', 'committed'),
        iif(i % 2, NULL, json_object('say', 'File it', 'reserve', json_array(
            json_object('topic', 'mails', 'id', 'old' || i)))),
        iif(quiet, NULL, 'Filed a receipt of ' || word),
        iif(failed, json_object('class', 'logic', 'sentence', 'KeyError: total'), NULL), failed,
        at, at + 900, at, at + 900
    FROM n;
INSERT INTO mutations (run, workflow, connection, tool, parameters, key, status, begun, settled)
    SELECT 'run' || i, workflow, 'table:expenses', 'append', '{"rows": []}', 'key' || i, 'applied', at, at + 900
    FROM n WHERE i % 2 = 0;
INSERT INTO logs SELECT 'run' || i, 1, 'looked at ' || i FROM n;
UPDATE workflows SET sequence = 2 * :number;
UPDATE handlers SET latest = 2 * :number, seen = 2 * :number - 1, look = 0 WHERE kind = 'consumer';
DROP TABLE n
"""


class Store:
    """A runtime with a history of that many runs."""

    def __init__(self, folder: Path, number: int) -> None:
        self.database = open_store(folder, datetime.now(UTC)).database
        self.runtime = Runtime(self.database, folder, machine_zone="UTC")
        self.views = WorkflowQueries(self.runtime.engine.context, self.runtime.plans, self.runtime.registry)
        self._fill(number)

    def close(self) -> None:
        self.runtime.close()
        close_store(self.database)

    def choose(self) -> None:
        """The queries of the engine before it starts anything."""
        db, now = self.database.read(), datetime.now(UTC)
        assert self.runtime.engine.dispatch.select(db, read_next_wake(db, now), now).candidates

    def peek(self) -> None:
        assert len(events.peek(self.database.read(), "bench-0", "mails", 10)) == 10

    def consume(self) -> None:
        """The five transactions of a consumer's run, in the order in which a run makes them."""
        runtime, now = self.runtime, datetime.now(UTC)
        plan = runtime.plans.current(self.database.read(), "bench-0")
        work = Work(key="bench-0/File", lane="bench-0/", subject="bench-0/File")
        with self.database.write() as db:
            attempt = start.start_consumer(db, work, plan, now)
            assert attempt is not None
            runs.insert(db, attempt.row)
        taken = events.peek(self.database.read(), "bench-0", "mails", 1)
        with self.database.write() as db:
            events.reserve(db, "bench-0", attempt.id, [(one.topic, one.id) for one in taken])
            handlers.record_prepare(db, "bench-0", "File", attempt.sequence - 1, None)
            runs.advance(db, attempt.id, RunPhase.PREPARING, RunPhase.PREPARED, now, prepared={"say": "File it"})
        with self.database.write(durable=True) as db:
            runs.advance(db, attempt.id, RunPhase.PREPARED, RunPhase.MUTATING, now)
            mutations.begin(db, _mutation(attempt.id, now))
        with self.database.write(durable=True) as db:
            mutations.record_outcome(
                db, attempt.id, MutationStatus.IN_FLIGHT, MutationStatus.APPLIED, now, result={"rows": 1}
            )
            runs.advance(db, attempt.id, RunPhase.MUTATING, RunPhase.MUTATED, now, outcome={"rows": 1})
        attempt.phase, attempt.action_status = RunPhase.MUTATED, "applied"
        with self.database.write() as db:
            endings = AttemptFinisher(runtime.engine.dispatch)
            endings.publish_results(db, attempt, {"filed": 1}, {"rows": 1}, now)
            assert handlers.list_ready_in(db, "bench-0")
            endings.commit(db, attempt, now)

    def search(self, **wanted: Any) -> None:
        """The first page of a search, including times that did not run."""
        page = self.views.history(HistoryQuery(**wanted))
        assert len(page.runs) + len(page.occurrences) == 50

    def search_folded(self, **wanted: Any) -> None:
        page = self.views.folded_history(HistoryQuery(**wanted))
        assert len(page.rows) == 50 and any(isinstance(row, QuietRuns) for row in page.rows)

    def list_all(self) -> None:
        assert len(self.views.workflows()) == WORKFLOWS

    def show(self) -> None:
        assert self.views.workflow("bench-0").handlers

    def owe(self) -> None:
        """The query of the engine before it records a planned time."""
        assert occurrences.list_unfinished(self.database.read(), "bench-0/poll") == []

    def _fill(self, number: int) -> None:
        validated = self.runtime.validation.validate("bench.py", SCRIPT)
        for place in range(WORKFLOWS):
            self.runtime.workflow_commands.deploy(renamed(validated, f"Bench {place}"), DeployOptions(grant=True))
        values = {"number": number, "workflows": WORKFLOWS, "now": to_ms(datetime.now(UTC))}
        with self.database.write() as db:
            for statement in _FILLING.split(";"):
                db.execute(statement, values)
        is_more = True
        while is_more:
            with self.database.write() as db:
                is_more = history_index.index_batch(db, 20_000)
        self.database.read().execute("PRAGMA wal_checkpoint(TRUNCATE)")


def renamed(validated: ValidatedScript, name: str) -> ValidatedScript:
    """The same script under another name, as if validated again."""
    slug = name.lower().replace(" ", "-")
    return replace(
        validated,
        path=f"{slug}.py",
        source=validated.source.replace('"Bench 0"', f'"{name}"'),
        described={**validated.described, "name": name, "slug": slug},
    )


def sizes(folder: Path) -> list[Figure]:
    with ExitStack() as stack:
        small, large = (_opened(stack, folder / str(number), number) for number in (SMALL, LARGE))
        return [_compare(name, times, act, small, large) for name, (times, act) in measures.items()]


measures: dict[str, tuple[int, Callable[[Store], None]]] = {
    "choose": (100, Store.choose),
    "peek": (200, Store.peek),
    "a consumer run's transactions": (40, Store.consume),
    "what is under way of a schedule": (100, Store.owe),
    "list of workflows": (50, Store.list_all),
    "page of a workflow": (50, Store.show),
    "history": (50, lambda store: store.search()),
    "history, folded": (50, lambda store: store.search_folded()),
    "history, folded, a word": (50, lambda store: store.search_folded(text="benc")),
    "history of a workflow": (50, lambda store: store.search(workflow="bench-2")),
    "history, failed": (50, lambda store: store.search(statuses=("failed",))),
    "history, failed of a workflow": (50, lambda store: store.search(workflow="bench-0", statuses=("failed",))),
    "history, a word": (50, lambda store: store.search(text="harb")),
    "history, two words of a workflow": (50, lambda store: store.search(workflow="bench-2", text="receipt museum")),
}
"""By name, how often each step runs per measurement, and the step."""
_COUNTING = "page of a workflow"
"""It counts pending events, up to ten thousand: more than there are in the small store."""


def _opened(stack: ExitStack, folder: Path, number: int) -> Store:
    store = Store(folder, number)
    stack.callback(store.close)
    return store


def _compare(name: str, times: int, act: Callable[[Store], None], small: Store, large: Store) -> Figure:
    def each(store: Store) -> float:
        act(store)
        begin = time.perf_counter()
        for _ in range(times):
            act(store)
        return (time.perf_counter() - begin) / times * 1000

    told = alternate({"a thousand": lambda: each(small), "a million": lambda: each(large)})
    return Figure(
        name=f"{name}, at a million",
        unit="ms",
        ours=told["a million"],
        peers={"a thousand": told["a thousand"]},
        against="a thousand",
        target=None if name == _COUNTING else 0.5,
    )


def _mutation(run: str, now: datetime) -> MutationRow:
    return MutationRow(
        run=run,
        workflow="bench-0",
        connection="table:expenses",
        tool="append",
        parameters={"rows": [{"n": 1}]},
        key=run,
        status=MutationStatus.IN_FLIGHT,
        begun=now,
    )
