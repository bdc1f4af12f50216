"""`start` (or plain `dayhand`) and `quit`. A second start in the same data folder shows the running app."""

import os
import sys
import time
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from app.cli.command import Command, CommandResult, call_api
from app.data.data_dir import add_data_dir, convert_store_errors, data_dir
from app.ipc import client
from app.ipc.transport import Connection
from app.lifecycle.startup import StartOptions, skip_source_scan
from scheduler.engine.errors import RefusedError
from scheduler.shell_words import quote_word

_DESCRIPTION = """Start Dayhand: with a window and a tray icon, or in the terminal if there is no display.

Without a display, and without --data-dir, it runs a sample workflow as a demonstration."""

_MAX_SECONDS = 2_000_000
"""A Qt timer cannot hold more than 2^31 milliseconds."""
_ANSWER_TIMEOUT_S = 15.0
"""How long the running app may take to answer."""
_LOCK_TIMEOUT_S = 45.0
"""How long the folder may stay locked while no app answers: a closing app waits for its outside actions."""
_RETRY_S = 0.1
_RUNNING = "Dayhand is already running."


class _AlreadyRunningError(Exception):
    """Another app has the folder, and was asked to show its window."""


def _arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    add_data_dir(parser)
    parser.add_argument("script", nargs="?", type=_script, metavar="SCRIPT", help="open it in the window, to deploy it")
    parser.add_argument("--headless", action="store_true", help="run without a display")
    parser.add_argument("--background", action="store_true", help="start without showing the window")
    parser.add_argument("--until-idle", action="store_true", help="end when nothing is running, waiting or due")
    parser.add_argument("--seconds", type=_seconds, metavar="N", help="end after N seconds")


def _start(options: Namespace) -> CommandResult:
    is_headless = options.headless or options.until_idle
    has_window = not is_headless and has_display()
    if options.script is not None and not has_window:
        raise RefusedError("no window", f"There is no display, so use: dayhand deploy {_quote(options.script)}")
    is_demo = options.data_dir is None and not is_headless and not has_window
    skip_source_scan()
    folder = data_dir(options)
    try:
        with convert_store_errors():
            folder = _demo_dir() if is_demo else folder
            wanted = StartOptions(
                seconds=options.seconds,
                until_idle=options.until_idle,
                demo=is_demo,
                greeting=_demo_greeting(folder) if is_demo else "",
                folder_option="" if folder == data_dir(Namespace(data_dir=None)) else f" --data-dir {_quote(folder)}",
                to_stderr=options.json,
                background=options.background,
                script="" if options.script is None else str(options.script.absolute()),
            )
            with _locked(folder, wanted, alone=is_headless):
                _run_app(folder, wanted, has_window=has_window)
    except _AlreadyRunningError as error:
        return CommandResult({"sentence": str(error)}, lambda answer: [answer["sentence"]])
    except RefusedError as error:
        if has_window and (sys.stderr is None or not sys.stderr.isatty()):  # started from a menu, without a terminal
            from app.lifecycle.early_tray import show_start_error

            show_start_error(folder, error)
        raise
    return CommandResult({}, lambda _: ())


def _run_app(folder: Path, wanted: StartOptions, *, has_window: bool) -> None:
    if not has_window:
        from app import headless

        headless.run(folder, wanted)
        return
    from app.lifecycle.early_tray import show_tray

    app, tray = show_tray(folder)
    from app.lifecycle import restart_loop  # loads most of the app, so only after the icon is shown

    restart_loop.run(app, tray, folder, wanted)


def _demo_dir() -> Path:
    from app.demo import demo_dir

    return demo_dir()


def has_display(environment: Mapping[str, str] = os.environ, system: str = sys.platform) -> bool:
    """Whether a window could be shown."""
    if system in ("darwin", "win32"):
        return True
    return bool(environment.get("DISPLAY") or environment.get("WAYLAND_DISPLAY"))


@contextmanager
def _locked(folder: Path, wanted: StartOptions, *, alone: bool) -> Iterator[None]:
    """Hold the folder's lock. If another app has it, show that one, or with `alone`, refuse to start."""
    from scheduler.engine.data_folder import FolderInUseError, hold

    deadline = time.monotonic() + _LOCK_TIMEOUT_S
    while True:
        try:
            with hold(folder):
                yield
                return
        except FolderInUseError:
            if (end := client.connect(folder)) is not None:
                if alone and _is_alive(end):
                    raise
                if not alone and (answer := _forward(end, wanted)):
                    raise _AlreadyRunningError(answer) from None
            if time.monotonic() > deadline:
                raise
            time.sleep(_RETRY_S)


def _is_alive(end: Connection) -> bool:
    """Whether an app answers. The socket of a killed app may outlive it for a moment."""
    try:
        messages = client.call(end, "attention", {}, timeout_s=_ANSWER_TIMEOUT_S)
        return any("answer" in message or "error" in message for message in messages)
    except client.NoAnswerError:
        return False


def _forward(end: Connection, wanted: StartOptions) -> str:
    """Hand this start over to the running app; return its answer, or "" if it is just closing."""
    verb = "attention" if wanted.background and not wanted.script else "window"
    arguments = {"file": wanted.script} if wanted.script else {}
    deadline = time.monotonic() + _ANSWER_TIMEOUT_S
    try:
        *_, last = client.call(end, verb, arguments, timeout_s=_ANSWER_TIMEOUT_S)
    except client.NoAnswerError as error:
        if time.monotonic() < deadline:
            return ""
        raise RefusedError("silent", client.NOT_RESPONDING) from error
    if "error" in last:
        raise RefusedError(last["error"]["code"], last["error"]["message"])
    return f"{_RUNNING} {last['answer'].get('sentence', '')}".strip()


def _demo_greeting(folder: Path) -> str:
    return (
        "There is no display, so this is a demonstration in the terminal: a sample workflow looks for receipts in "
        f"{folder / 'receipts'} and asks before it adds them to {folder / 'expenses.csv'}."
    )


def _quote(path: Path) -> str:
    return quote_word(str(path))


def _script(text: str) -> Path:
    if text.startswith("-"):  # argparse takes a negative number for an argument
        raise ArgumentTypeError(f"unknown option: {text}")
    return Path(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds <= _MAX_SECONDS:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds from 0 to {_MAX_SECONDS:,}")
    return seconds


def _quit_arguments(parser: ArgumentParser) -> None:
    parser.description = "Quit Dayhand. Running workflows are asked to stop, and continue at the next start."
    add_data_dir(parser)


def _quit(options: Namespace) -> CommandResult:
    return CommandResult(call_api(options, "quit"), lambda answer: [answer["sentence"]])


VERBS = {"start": Command(_arguments, _start), "quit": Command(_quit_arguments, _quit)}
