"""`dayhand start`, or plain `dayhand`: run the engine until it is asked to end."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator

from app.folder import add_data_dir, data_dir, refusing

_DESCRIPTION = "Run Dayhand. This version has no window yet: it runs in the terminal and says what happens."

_LONGEST = 2_000_000
"""A timer of Qt cannot hold more than 2^31 milliseconds."""


class Ended:
    """Everything was said while it ran."""

    def data(self) -> dict[str, str]:
        return {}

    def lines(self) -> Iterator[str]:
        return iter(())


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("--seconds", type=_seconds, metavar="N", help="end after so many seconds")


def run(options: Namespace) -> Ended:
    with refusing():
        from app import headless  # noqa: PLC0415  Qt and SQLite are loaded only where they are needed
        from scheduler.store.lock import hold  # noqa: PLC0415

        folder = data_dir(options)
        with hold(folder):
            headless.run(folder, options.seconds)
    return Ended()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= _LONGEST:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST:,}")
    return seconds
