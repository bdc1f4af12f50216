"""The whole app as its own process on a real desktop: tray item and menu, a notice with real buttons, the window."""

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.control import client
from app.demo import prepare_demo
from app.life.installation import Installation
from tests.desktop.desktop import Desktop
from tests.desktop.processes import until

APP, DAEMON = "dayhand", "xfce4-notifyd"
ROOT = Path(__file__).parents[2]


class Program:
    """The app that runs on the desktop, over its folder."""

    def __init__(self, desk: Desktop, folder: Path) -> None:
        self._desk = desk
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        line = [sys.executable, "-m", "app.main", "--data-dir", str(self.folder), *arguments]
        self.process = self._desk.start(line, PYTHONPATH=str(ROOT), PYTHONFAULTHANDLER="1")
        until(lambda: self.ask("list") is not None, "the app to answer")

    def ask(self, verb: str, **arguments: Any) -> Any:
        """What it answers to a command; None if it cannot be reached."""
        end = client.reach(self.folder)
        if end is None:
            return None
        try:
            return next((m["answer"] for m in client.ask(end, verb, arguments) if "answer" in m), None)
        except client.LostError:
            return None

    def rows(self) -> list[str]:
        table = self.folder / "expenses.csv"
        return table.read_text(encoding="utf-8").splitlines() if table.exists() else []

    def runs(self) -> list[tuple[str, str]]:
        """Status and summary of what has run."""
        return [(run["status"], run["summary"]) for run in self.ask("history")["runs"]]

    def has_entry(self, label: str) -> bool:
        """In the menu of its tray item, submenus included; the item may just be coming or going."""
        try:
            return label in [shown for _, shown in self._entries()]
        except AssertionError:
            return False

    def choose(self, label: str, works: Callable[[], bool]) -> None:
        """Click an entry of the menu, as a panel does; again if the menu was just made anew."""

        def click() -> bool:
            with suppress(AssertionError):  # the item or its menu went away in between
                number = next((number for number, shown in self._entries() if shown == label), None)
                assert number is not None
                self._menu("Event", "isvu", (number, "clicked", ("s", ""), 0))
            return works()

        until(lambda: works() or click(), f"what {label!r} does")

    def tooltip(self) -> str:
        body = ("org.kde.StatusNotifierItem", "ToolTip")
        place = (self._item(), "/StatusNotifierItem", "org.freedesktop.DBus.Properties", "Get")
        ((_, shown),) = self._desk.bus.ask(*place, "ss", body)
        return f"{shown[2]}\n{shown[3]}"

    def has_window(self) -> bool:
        return bool(self._desk.run("xdotool", "search", "--onlyvisible", "--name", "^Dayhand$"))

    def wait_for_window(self) -> None:
        """If none comes, all windows there are and what the app does at that moment are shown."""
        try:
            until(self.has_window, "the window")
        except AssertionError:
            sys.stdout.write(self._desk.run("xwininfo", "-root", "-tree").decode(errors="replace"))
            assert self.process is not None
            self.process.send_signal(signal.SIGABRT)
            self.process.wait(60)
            raise

    def _item(self) -> str:
        items = self._desk.tray_items()
        assert items, "There is no item in the tray."
        return items[0].partition("/")[0]

    def _menu(self, member: str, signature: str, body: tuple[Any, ...]) -> Any:
        return self._desk.bus.ask(self._item(), "/MenuBar", "com.canonical.dbusmenu", member, signature, body)

    def _entries(self) -> list[tuple[int, str]]:
        _, layout = self._menu("GetLayout", "iias", (0, -1, []))
        return list(_flatten(layout))


def _flatten(node: Any) -> Iterator[tuple[int, str]]:
    number, properties, children = node
    if "label" in properties:
        yield number, str(properties["label"][1]).replace("_", "")
    for _, child in children:
        yield from _flatten(child)


@pytest.fixture
def program(qtbot: QtBot, desk: Desktop, tmp_path: Path) -> Iterator[Program]:
    """With the sample workflow, which asks for one approval; not started yet."""
    prepared = Installation(tmp_path)
    prepare_demo(prepared.house, tmp_path)
    prepared.house.close()
    prepared.close()
    made = Program(desk, tmp_path)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.terminate()
        made.process.wait(60)
    sys.stdout.write(desk.processes.output()[-6_000:])  # this and the app's own log are shown if the test failed
    for log in sorted(tmp_path.glob("logs/*")):
        sys.stdout.write(f"{log.name}: {log.read_text(encoding='utf-8', errors='replace')[-6_000:]}\n")


def test_the_button_of_a_notice_approves_the_run_from_beginning_to_end(desk: Desktop, program: Program) -> None:
    """Hidden in the tray all the while; the rows are written once."""
    desk.start_tray()
    desk.start_notifications()
    program.start("--background")
    until(desk.tray_items, "the item in the tray")
    until(lambda: "1 thing needs you" in program.tooltip(), "the tooltip")
    assert not program.has_window()
    until(lambda: program.has_entry("Receipts: Add 3 rows to expenses"), "the entry")
    desk.wait_for_text(DAEMON, "Add 3 receipts (45.55) to Expenses")
    desk.press(DAEMON, "Approve")
    until(lambda: ("committed", "Filed 3 receipts, 3 so far") in program.runs(), "the run")
    assert len(program.rows()) == 4
    until(lambda: "needs you" not in program.tooltip(), "the tooltip to change")


def test_the_window_opens_from_the_menu_closes_into_the_tray_and_quit_ends_it(desk: Desktop, program: Program) -> None:
    desk.start_tray()
    program.start("--background")
    program.choose("Open Dayhand", program.has_window)
    desk.wait_for_text(APP, "Add 3 receipts (45.55) to Expenses")
    desk.press(APP, "Approve")
    desk.wait_for_text(APP, "Filed 3 receipts, 3 so far")
    assert len(program.rows()) == 4
    desk.run("xdotool", "search", "--onlyvisible", "--name", "^Dayhand$", "windowactivate", "--sync", "key", "ctrl+w")
    until(lambda: not program.has_window(), "the window to close")
    desk.run("xdotool", "keyup", "w", "keyup", "ctrl")  # it gives up between the two when the window goes at the first
    process = program.process
    assert process is not None and process.poll() is None
    program.choose("Quit", lambda: process.poll() is not None or not desk.tray_items())
    assert process.wait(60) == 0


def test_a_tray_that_comes_after_the_app_gets_its_item(desk: Desktop, program: Program) -> None:
    """U1: until then the window can be found."""
    program.start()
    program.wait_for_window()
    desk.start_tray()
    until(desk.tray_items, "the item in the tray")
    desk.stop_tray()
    desk.start_tray()
    until(lambda: program.has_entry("Quit"), "the item in the tray that came back")
    until(lambda: len(desk.tray_items()) == 1, "one item only")


def test_a_second_start_raises_the_first_ones_window(desk: Desktop, program: Program) -> None:
    desk.start_tray()
    program.start("--background")
    until(desk.tray_items, "the item in the tray")
    assert not program.has_window()
    second = [sys.executable, "-m", "app.main", "start", "--data-dir", str(program.folder)]
    assert desk.start([*second, "--background"], PYTHONPATH=str(ROOT)).wait(60) == 0
    assert not program.has_window()
    assert desk.start(second, PYTHONPATH=str(ROOT)).wait(60) == 0
    program.wait_for_window()
    assert desk.start([*second, "nothing.py"], PYTHONPATH=str(ROOT)).wait(60) == 0
    desk.wait_for_text(APP, "nothing.py cannot be read: No such file or directory.")
