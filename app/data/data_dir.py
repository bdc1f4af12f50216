"""The data folder as verbs see it: where it is, and what goes wrong with it as a refusal."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_data_path

from scheduler.engine.refusal import RefusedError


def add_data_dir(parser: ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="where schedules and history are kept")


def data_dir(options: Namespace) -> Path:
    given: Path | None = options.data_dir
    return given or user_data_path("dayhand", appauthor=False)


@contextmanager
def refusing() -> Iterator[None]:
    """Say what is wrong with the store instead of failing."""
    from scheduler.store.errors import StoreError  # noqa: PLC0415  SQLite is loaded only where it is needed

    try:
        yield
    except StoreError as error:
        raise RefusedError("store", str(error)) from error
