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
"""Seconds that another app may take to answer."""
_CLOSING = 45.0
"""Seconds that the folder may be taken without anybody who answers: one that ends waits for its outside actions."""
_PAUSE = 0.1
_RUNNING = "Dayhand is already running."


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
    parser.add_argument("script", nargs="?", type=_script, metavar="SCRIPT", help="show it in the window, to deploy it")
    parser.add_argument("--headless", action="store_true", help="run without a display")
    parser.add_argument("--background", action="store_true", help="start without showing the window")
    parser.add_argument("--until-idle", action="store_true", help="end when nothing runs, waits to run or is due")
    parser.add_argument("--seconds", type=_seconds, metavar="N", help="end after so many seconds")


def run(options: Namespace) -> Ended:
    is_headless = options.headless or options.until_idle
    has_window = not is_headless and has_display()
    if options.script is not None and not has_window:
        raise RefusedError("no window", f"There is no window here; type: dayhand deploy {_quote(options.script)}")
    is_demo = options.data_dir is None and not is_headless and not has_window
    spare_sources()
    folder = data_dir(options)
    try:
        with refusing():
            folder = _demo_dir() if is_demo else folder
            wanted = Wanted(
                seconds=options.seconds,
                until_idle=options.until_idle,
                demo=is_demo,
                greeting=_greet(folder) if is_demo else "",
                folder_option="" if folder == data_dir(Namespace(data_dir=None)) else f" --data-dir {_quote(folder)}",
                to_stderr=options.json,
                background=options.background,
                script="" if options.script is None else str(options.script.absolute()),
            )
            with _held(folder, wanted, alone=is_headless):
                _live(folder, wanted, has_window=has_window)
    except _AlreadyRunningError as error:
        return Ended(str(error))
    except RefusedError as error:
        if has_window and (sys.stderr is None or not sys.stderr.isatty()):  # who starts it from a menu sees no terminal
            from app.life.appearing import tell

            tell(folder, error)
        raise
    return Ended()


def _live(folder: Path, wanted: Wanted, *, has_window: bool) -> None:
    if not has_window:
        from app import headless

        headless.run(folder, wanted)
        return
    from app.life.appearing import appear

    app, tray = appear(folder)
    from app.life import lives  # most of all, and after the icon is there

    lives.run(app, tray, folder, wanted)


def _demo_dir() -> Path:
    from app.demo import demo_dir

    return demo_dir()


def has_display(environment: Mapping[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Whether a window could be shown."""
    if system in ("darwin", "win32"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


@contextmanager
def _held(folder: Path, wanted: Wanted, *, alone: bool) -> Iterator[None]:
    """The folder's lock. Where an app has it: that one is shown, or if this is to be `alone`, this one is refused."""
    from scheduler.store.lock import FolderInUseError, hold

    give_up = time.monotonic() + _CLOSING
    while True:
        try:
            with hold(folder):
                yield
                return
        except FolderInUseError:
            if (end := client.reach(folder)) is not None:
                if alone and _lives(end):
                    raise
                if not alone and (said := _pass_on(end, wanted)):
                    raise _AlreadyRunningError(said) from None
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


def _pass_on(end: socket.socket, wanted: Wanted) -> str:
    """What was asked for is asked of the app that runs; what it says, or nothing if it ends at this moment."""
    verb = "attention" if wanted.background and not wanted.script else "window"
    arguments = {"file": wanted.script} if wanted.script else {}
    give_up = time.monotonic() + _PATIENCE
    try:
        *_, last = client.ask(end, verb, arguments, seconds=_PATIENCE)
    except client.LostError as error:
        if time.monotonic() < give_up:
            return ""
        raise RefusedError("silent", client.SILENT) from error
    if "error" in last:
        raise RefusedError(last["error"]["code"], last["error"]["message"])
    return f"{_RUNNING} {last['answer'].get('sentence', '')}".strip()


def _greet(folder: Path) -> str:
    return (
        "There is no display, so Dayhand shows itself here: a sample workflow looks for receipts in "
        f"{folder / 'receipts'} and asks before it adds them to {folder / 'expenses.csv'}."
    )


def _quote(folder: Path) -> str:
    return shlex.quote(str(folder))


def _script(text: str) -> Path:
    if text.startswith("-"):  # a number below zero is no option to argparse
        raise ArgumentTypeError(f"{text}: there is no such option")
    return Path(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= _LONGEST:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_LONGEST:,}")
    return seconds
