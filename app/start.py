"""`dayhand start`, or plain `dayhand`: run the engine until it is asked to end."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from platformdirs import user_data_path

from app.cli import RefusedError

_DESCRIPTION = "Run Dayhand. This version has no window yet: it runs in the terminal and says what happens."


class Ended:
    """Everything was said while it ran."""

    def data(self) -> dict[str, str]:
        return {}

    def lines(self) -> Iterator[str]:
        return iter(())


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="where schedules and history are kept")
    parser.add_argument("--seconds", type=float, metavar="N", help="end after so many seconds")


def run(options: Namespace) -> Ended:
    from app import headless  # noqa: PLC0415  Qt and SQLite are loaded only where they are needed
    from scheduler.store.errors import StoreError  # noqa: PLC0415

    try:
        headless.run(options.data_dir or user_data_path("dayhand", appauthor=False), options.seconds)
    except StoreError as error:
        raise RefusedError(str(error)) from error
    return Ended()
