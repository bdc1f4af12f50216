"""Sample data for screenshots: the sample workflow really runs, the others only have a history."""

import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from app.demo import ENGLISH
from app.session import Session
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.timing.occurrences import OccurrenceReason, OccurrenceState
from tests.app.window.sample_data import add_not_run, add_run


class ShiftedClock:
    """Continues from another time of day."""

    def __init__(self, begin: datetime) -> None:
        self._shift = begin.astimezone(UTC) - datetime.now(UTC)

    def now(self) -> datetime:
        return datetime.now(UTC) + self._shift

    def monotonic(self) -> float:
        return time.monotonic()


class Past(NamedTuple):
    hour: float
    minutes: float
    summary: str | None
    error: str | None = None


CHORE = '''"""{what}"""
import dayhand

flow = dayhand.Workflow("{name}")


@flow.job(cron="{cron}")
def go(ctx):
    ctx.done("Done")
'''
CHORES = {
    "Back up photos": (
        "0 3 * * *",
        [Past(3, 95, "Saved 1,204 photos (5.1 GB)"), Past(12.5, 40, None, "The disk was not plugged in.")],
    ),
    "Morning digest": ("0 7 * * 1-5", [Past(7, 3, "Sent 12 headlines")]),
    "Tidy downloads": (
        "0 */4 * * *",
        [Past(hour, 4, f"Moved {number} files") for hour, number in ((0, 2), (4, 3), (8, 9), (12, 5))],
    ),
    "Invoices of the shop": ("30 9 * * *", [Past(9.5, 12, "Sent 4 invoices, 2 reminders")]),
}


def prepare(installation: Session, folder: Path) -> None:
    """Call it before the engine starts."""
    runtime = installation._runtime
    ENGLISH.write_receipts(folder)
    for name, given in ENGLISH.connection_settings(folder).items():
        runtime.connect(name, given)
    source = ENGLISH.read().replace('every="1m"', 'every="1h"')
    script = folder / "receipts.py"
    script.write_text(source, encoding="utf-8")
    runtime.workflow_commands.deploy(runtime.validation.validate(str(script), source), DeployOptions(grant=True))
    now = installation.now()
    midnight = now.astimezone().replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
    _add_receipts(installation, midnight)
    for number, (name, (cron, past)) in enumerate(CHORES.items()):
        source = CHORE.format(what=f"{name}.", name=name, cron=cron)
        script = folder / f"chore{number}.py"
        script.write_text(source, encoding="utf-8")
        validated = runtime.validation.validate(str(script), source)
        runtime.workflow_commands.deploy(validated, DeployOptions())
        slug = validated.slug
        for place, one in enumerate(past):
            _add(installation, f"{slug}-{place}", slug, midnight, one)
    add_not_run(
        installation,
        "tidy-downloads/go",
        midnight + timedelta(hours=5, minutes=30),
        OccurrenceState.SKIPPED,
        OccurrenceReason.OVERLAP,
    )


def _add_receipts(installation: Session, midnight: datetime) -> None:
    filed = 31
    for place, (hour, number) in enumerate([(-62, 2), (-40, 4), (-38, 1), (-17, 3), (8.25, 2), (10.75, 1)]):
        filed += number
        one = Past(hour, 1.5, f"Filed {number} {'receipt' if number == 1 else 'receipts'}, {filed} so far")
        _add(installation, f"receipts-{place}", "receipts", midnight, one, handler="AddToExpenses")


def _add(installation: Session, run: str, slug: str, midnight: datetime, one: Past, handler: str = "go") -> None:
    began = midnight + timedelta(hours=one.hour)
    facts = {} if one.error is None else {"status": RunStatus.CANCELLED, "error": {"sentence": one.error}}
    add_run(
        installation,
        run,
        slug,
        began,
        handler=handler,
        kind=HandlerKind.CONSUMER if handler == "AddToExpenses" else HandlerKind.JOB,
        summary=one.summary,
        ended=began + timedelta(minutes=one.minutes),
        **facts,
    )
