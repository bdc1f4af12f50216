"""`dayhand restore`: go back to the last backup."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass

from app.keeping.folder import add_data_dir, data_dir, refusing
from scheduler.engine.clock import SystemClock
from scheduler.engine.user_only import refuse_scripts


@dataclass(frozen=True, slots=True)
class Restored:
    backup: str

    def data(self) -> dict[str, str]:
        return {"backup": self.backup}

    def lines(self) -> Iterator[str]:
        yield f"Dayhand goes on from the backup {self.backup}. The data it replaced was set aside beside it."
        yield "All workflows are paused, so that nothing runs or acts again unasked: look at each and resume it."


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = "Put the last backup in place of the data, which is set aside. Workflows come back paused."
    add_data_dir(parser)


def run(options: Namespace) -> Restored:
    refuse_scripts("restore")
    folder = data_dir(options)
    with refusing():
        from scheduler.store.health import restore
        from scheduler.store.lock import hold

        with hold(folder):
            return Restored(restore(folder, SystemClock().now()).name)
