"""`dayhand start`, or plain `dayhand`: run the engine until it is asked to end."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from app.folder import add_data_dir, data_dir, refusing

_DESCRIPTION = "Run Dayhand. This version has no window yet: it runs in the terminal and says what happens."


class Ended:
    """Everything was said while it ran."""

    def data(self) -> dict[str, str]:
        return {}

    def lines(self) -> Iterator[str]:
        return iter(())


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("--seconds", type=float, metavar="N", help="end after so many seconds")


def run(options: Namespace) -> Ended:
    with refusing():
        from app import headless  # noqa: PLC0415  Qt and SQLite are loaded only where they are needed
        from scheduler.store.lock import hold  # noqa: PLC0415

        folder = data_dir(options)
        with hold(folder):
            headless.run(folder, options.seconds)
    return Ended()
