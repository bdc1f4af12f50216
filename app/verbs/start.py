"""`dayhand start`, or plain `dayhand`: run until asked to end. A second start in one data folder shows the first."""

import os
import shlex
import socket
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.control import client
from app.keeping.folder import add_data_dir, data_dir, refusing
from app.life.sparing import spare_sources
from app.life.wanted import Wanted
from scheduler.engine.refusal import RefusedError

_DESCRIPTION = """Run Dayhand: with a window and an icon in the tray, or in the terminal where there is no display.

Without a display and without a folder of your own, it shows itself with a sample workflow."""

_LONGEST = 2_000_000
"""A timer of Qt cannot hold more than 2^31 milliseconds."""
_PATIENCE = 15.0
"""Seconds that a command may keep the folder, or another app may take to start listening."""
_PAUSE = 0.1
_SILENT = "Dayhand is running but does not answer. Wait a moment; if that does not help, end it and start it again."


@dataclass(frozen=True, slots=True)
class Ended:
    """Everything was said while it ran."""

    sentence: str = ""

    def data(self) -> dict[str, str]:
        return {"sentence": self.sentence} if self.sentence else {}

    def lines(self) -> Iterator[str]:
        if self.sentence:
            yield self.sentence


class _AlreadyRunningError(Exception):
    """Another app has the folder, and was told to show itself."""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("--headless", action="store_true", help="run without a display")
    parser.add_argument("--background", action="store_true", help="start without showing the window")
    parser.add_argument("--until-idle", action="store_true", help="end when nothing runs, waits to run or is due")
    parser.add_argument("--seconds", type=_seconds, metavar="N", help="end after so many seconds")


def run(options: Namespace) -> Ended:
    is_headless = options.headless or options.until_idle
    is_demo = options.data_dir is None and not is_headless and not has_display()
    spare_sources()
    with refusing():
        folder = _demo_dir() if is_demo else data_dir(options)
        wanted = Wanted(
            seconds=options.seconds,
            until_idle=options.until_idle,
            demo=is_demo,
            greeting=_greet(folder) if is_demo else "",
            folder_option="" if folder == data_dir(Namespace(data_dir=None)) else f" --data-dir {_quote(folder)}",
            to_stderr=options.json,
        )
        try:
            with _held(folder, alone=is_headless):
                if is_headless or not has_display():
                    from app import headless  # noqa: PLC0415  Qt and SQLite are loaded only where they are needed

                    headless.run(folder, wanted)
                else:
                    from app.life.appearing import appear  # noqa: PLC0415  as above

                    app, tray = appear(folder)
                    from app.life import lives  # noqa: PLC0415  most of all, and after the icon is there

                    lives.run(app, tray, folder, wanted, background=options.background)
        except _AlreadyRunningError as error:
            return Ended(str(error))
    return Ended()


def _demo_dir() -> Path:
    from app.demo import demo_dir  # noqa: PLC0415

    return demo_dir()


def has_display(environment: Mapping[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Whether a window could be shown."""
    if system in ("darwin", "win32"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


@contextmanager
def _held(folder: Path, *, alone: bool) -> Iterator[None]:
    """The folder's lock. Where an app has it: that one is shown, or if this is to be `alone`, this one is refused."""
    from scheduler.store.lock import FolderInUseError, hold  # noqa: PLC0415

    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            with hold(folder):
                yield
                return
        except FolderInUseError:
            if (end := client.reach(folder)) is not None:
                if not alone:
                    raise _AlreadyRunningError(_show(end, folder)) from None
                if _lives(end):
                    raise
            if time.monotonic() > give_up:
                raise
            time.sleep(_PAUSE)


def _lives(end: socket.socket) -> bool:
    """Whether somebody answers there. The socket of an app that was killed may outlive it for a moment."""
    try:
        said = client.ask(end, "attention", {}, seconds=_PATIENCE)
        return any("answer" in message or "error" in message for message in said)
    except client.LostError:
        return False


def _show(end: socket.socket, folder: Path) -> str:
    """Ask the app that runs to show itself; what it says."""
    try:
        for message in client.ask(end, "window", {}, seconds=_PATIENCE):
            if "answer" in message:
                return f"Dayhand is already running. {message['answer']['sentence']}"
    except client.LostError as error:
        if has_display() and not sys.stderr.isatty():  # who starts it from a menu sees no terminal
            from app.life.appearing import tell_of_silence  # noqa: PLC0415  as above

            tell_of_silence(folder)
        raise RefusedError("silent", _SILENT) from error
    return "Dayhand is already running."


def _greet(folder: Path) -> str:
    return (
        "There is no display, so Dayhand shows itself here: a sample workflow looks for receipts in "
        f"{folder / 'receipts'} and asks before it adds them to {folder / 'expenses.csv'}."
    )


def _quote(folder: Path) -> str:
    return shlex.quote(str(folder))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= _LONGEST:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST:,}")
    return seconds
