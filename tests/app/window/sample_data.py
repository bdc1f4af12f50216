"""Workflows with a history in a real store, as deploying and running them would leave it. Starts no process."""

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from app.session import Session
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.validation import ValidatedScript
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import HandlerKind, RunPhase, RunStatus
from scheduler.store import events, logs, mutations, occurrences, runs
from scheduler.store.mutations import MutationRow
from scheduler.store.occurrences import OccurrenceRow
from scheduler.store.runs import RunRow
from scheduler.timing.occurrences import OccurrenceOrigin, OccurrenceReason, OccurrenceState
from scheduler.workers.tool_scan import find_tool_uses

NAMES = ("Receipts", "Back up photos", "Morning digest", "Tidy downloads", "Invoices of the shop")
SELDOM = "0 9 1 1 *"
SCRIPT = '''"""File each receipt from a folder in a table."""
import dayhand

flow = dayhand.Workflow("{name}", connections=["table:expenses"], tags=["home"])
mails = flow.topic("mails")


@flow.producer(every="5m", publishes=[mails])
def poll(ctx, state):
    return state


@flow.consumer(subscribe=[mails], approve="always")
class FileReceipt:
    def prepare(self, ctx, state):
        return dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=prepared.data["rows"])


@flow.job(cron="0 9 * * 1-5", timezone="America/New_York")
def digest(ctx):
    ctx.done("Sent")
'''


def make_handler(name: str, kind: str, schedule: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "schedule": schedule,
        "policies": {},
        "line": 8,
        "lines": {},
        "docstring": "",
        "has_mutate": False,
        "has_next": False,
        "approve": None,
        "after_crash": None,
        "publishes": [],
        "subscribes": [],
        "run_on_deploy": False,
        "timeout": None,
    } | more


def describe(slug: str, name: str, tags: tuple[str, ...], cron: str, *, consumer: bool) -> dict[str, Any]:
    """The description a worker would return. Without its consumer nothing runs on its own in a test."""
    files = make_handler(
        "FileReceipt",
        "consumer",
        None,
        subscribes=["mails"],
        has_mutate=True,
        approve="always",
        lines={"prepare": 15, "mutate": 18},
    )
    return {
        "slug": slug,
        "name": name,
        "docstring": "File each receipt from a folder in a table.",
        "line": 4,
        "tags": list(tags),
        "topics": ["mails"],
        "connections": ["table:expenses"],
        "handlers": [
            make_handler("poll", "producer", {"every": "5m"}, publishes=["mails"]),
            *([files] if consumer else []),
            make_handler("digest", "job", {"cron": cron, "timezone": "America/New_York"}),
        ],
    }


def deploy(
    installation: Session,
    slug: str,
    name: str,
    *,
    source: str = "",
    cron: str = SELDOM,
    consumer: bool = False,
    **wish: Any,
) -> None:
    """Only before the session is started."""
    text = source or SCRIPT.replace("{name}", name)
    tags = ("work",) if slug.endswith(("1", "4")) else ("home",)
    new = ValidatedScript(
        path=str(installation.folder / f"{slug}.py"),
        source=text,
        described=describe(slug, name, tags, cron, consumer=consumer),
        uses=tuple(find_tool_uses(text)),
    )
    Path(new.path).write_text(text, encoding="utf-8")
    installation._runtime.workflow_commands.deploy(new, DeployOptions(**{"grant": True} | wish))


def add_run(installation: Session, run: str, workflow: str, at: datetime, **facts: Any) -> None:
    row = RunRow(
        id=run,
        workflow=workflow,
        handler="FileReceipt",
        kind=HandlerKind.CONSUMER,
        trigger="event",
        script=1,
        chain=facts.pop("chain", run),
        phase=RunPhase.COMMITTED,
        status=RunStatus.COMMITTED,
        created=at,
        updated=at,
        began=at,
        prepared_at=at + timedelta(seconds=1),
        mutating_at=at + timedelta(seconds=1),
        mutated_at=at + timedelta(seconds=3),
        ended=at + timedelta(seconds=4),
        summary="Filed 3 receipts",
    )
    with installation._runtime.database.write() as db:
        runs.insert(db, row._replace(**facts))


def add_not_run(
    installation: Session, schedule: str, at: datetime, state: OccurrenceState, reason: OccurrenceReason | None
) -> None:
    with installation._runtime.database.write() as db:
        occurrences.insert(
            db,
            OccurrenceRow(
                key=f"{schedule} {at.isoformat()}",
                schedule=schedule,
                planned=at,
                due=at,
                created=at,
                origin=OccurrenceOrigin.AUTOMATIC,
                state=state,
                reason=reason,
                ended=at,
            ),
        )


def add_call(installation: Session, run: str, workflow: str, at: datetime) -> None:
    rows = [{"shop": "Corner Bakery", "total": 7.4}, {"shop": "Paper Moon Books", "total": 24.9}]
    with installation._runtime.database.write() as db:
        mutations.begin(
            db,
            MutationRow(
                run=run,
                workflow=workflow,
                connection="table:expenses",
                tool="append",
                parameters={"rows": rows},
                key=f"key of {run}",
                status=MutationStatus.APPLIED,
                begun=at,
                settled=at,
            ),
        )
        logs.append(db, run, "Looked at 3 receipts\nAdded 2 rows\n")


def create_workflows(installation: Session, number: int, *, cron: str = SELDOM, consumer: bool = False) -> None:
    """Create workflows with some history; the first ones show every kind of entry."""
    now = installation.now().replace(microsecond=0)
    if number:
        installation._runtime.connect("table:expenses", {"path": str(installation.folder / "expenses.csv")})
        installation._runtime.connect("files:receipts", {"path": str(installation.folder)})
    for place in range(number):
        slug = f"chore-{place}"
        name = NAMES[place] if place < len(NAMES) else f"Chore {place}"
        deploy(installation, slug, name, paused=place == 3, grant=place != 2, cron=cron, consumer=consumer)
        for step in range(12 if place < 20 else 3):
            at = now - timedelta(hours=3 * step + 1, minutes=place)
            failed = (place + step) % 7 == 5
            facts: dict[str, Any] = {}
            if failed:
                sentence = "The table is open in another program. Close it there."
                facts = {"status": RunStatus.CANCELLED, "error": {"sentence": sentence}, "summary": None}
            add_run(installation, f"run{place:04}x{step:04}", slug, at, **facts)
            if step == 0:
                add_call(installation, f"run{place:04}x{step:04}", slug, at)
        if place < 20:
            add_not_run(
                installation,
                f"{slug}/poll",
                now - timedelta(minutes=90 + place),
                OccurrenceState.SKIPPED,
                OccurrenceReason.OVERLAP,
            )
            add_not_run(
                installation, f"{slug}/poll", now - timedelta(hours=9), OccurrenceState.MISSED, OccurrenceReason.PASSED
            )
    if number:
        changed = SCRIPT.replace("{name}", NAMES[0]).replace('"Sent"', '"Done"')
        deploy(installation, "chore-0", NAMES[0], source=changed, cron=cron, consumer=consumer)


def publish(installation: Session, workflow: str, number: int) -> None:
    now = installation.now()
    with installation._runtime.database.write() as db:
        for place in range(number):
            events.publish(db, workflow, "mails", f"m{place}", f"Receipt {place}", {}, now)
