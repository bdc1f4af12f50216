"""A repaired script is tried before anybody sees it: in a folder of its own, doing nothing outside."""

from pathlib import Path
from tempfile import TemporaryDirectory

from scheduler.engine.house import House
from scheduler.engine.workflows.trying.trial import Surroundings, try_script
from scheduler.store import connections


def rehearse(house: House, path: str, source: str) -> str | None:
    """What its own code does wrong when it is tried; what it could not reach does not count against it."""
    context = house.engine.context
    around = Surroundings(
        registry=house.registry,
        secrets=None,
        connections={row.name: row.settings for row in connections.every_one(house.database.read())},
        machine_zone=context.machine_zone,
        now=context.clock.now(),
    )
    with TemporaryDirectory(prefix="dayhand-try-") as folder:
        tried = try_script(path, source, Path(folder), around)
    return next((step.error for step in tried.steps if step.status == "failed:logic"), None)
