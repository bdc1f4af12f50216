"""The data folder of a command: its option and default, and store errors as refusals."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from platformdirs import user_data_path

from scheduler.engine.errors import RefusedError


def add_data_dir(parser: ArgumentParser) -> None:
    parser.add_argument("--data-dir", type=Path, metavar="DIR", help="the folder with your workflows and history")


def data_dir(options: Namespace) -> Path:
    given: Path | None = options.data_dir
    return given or user_data_path("dayhand", appauthor=False)


@contextmanager
def convert_store_errors() -> Iterator[None]:
    """Turn a StoreError into a RefusedError."""
    from scheduler.engine.data_folder import StoreError  # noqa: PLC0415  SQLite is loaded only where it is needed

    try:
        yield
    except StoreError as error:
        raise RefusedError("store", str(error)) from error
