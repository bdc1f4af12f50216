"""The whole app as its own process on a real desktop: tray, menu, notifications with real buttons, window."""

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.demo import prepare_demo
from app.ipc import client
from app.session import Session
from scheduler.engine.workflows.deployment import DeployOptions
from tests.desktop.desktop import Desktop
from tests.desktop.processes import wait_until

APP, DAEMON = "dayhand", "xfce4-notifyd"
ROOT = Path(__file__).parents[2]


class Program:
    """The app running on the desktop, with its data folder."""

    def __init__(self, desk: Desktop, folder: Path) -> None:
        self._desk = desk
        self.folder = folder
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> None:
        line = [sys.executable, "-m", "app.main", "--data-dir", str(self.folder), *arguments]
        self.process = self._desk.start(line, PYTHONPATH=str(ROOT), PYTHONFAULTHANDLER="1")
        wait_until(lambda: self.ask("list") is not None, "the app to answer")

    def ask(self, verb: str, **arguments: Any) -> Any:
        """The reply to a command; None if the app cannot be reached."""
        end = client.connect(self.folder)
        if end is None:
            return None
        try:
            return next((m["answer"] for m in client.call(end, verb, arguments) if "answer" in m), None)
        except client.NoAnswerError:
            return None

    def rows(self) -> list[str]:
        table = self.folder / "expenses.csv"
        return table.read_text(encoding="utf-8").splitlines() if table.exists() else []

    def runs(self) -> list[tuple[str, str]]:
        """Status and summary of the runs."""
        return [(run["status"], run["summary"]) for run in self.ask("history")["runs"]]

    def has_entry(self, label: str) -> bool:
        """In the menu of its tray item, including submenus; False while there is no item."""
        try:
            return label in [shown for _, shown in self._entries()]
        except AssertionError:
            return False

    def choose(self, label: str, works: Callable[[], bool]) -> None:
        """Click a menu entry, as a panel does; again if the menu was just rebuilt."""

        def click() -> bool:
            with suppress(AssertionError):  # the item or its menu disappeared
                number = next((number for number, shown in self._entries() if shown == label), None)
                assert number is not None
                self._menu("Event", "isvu", (number, "clicked", ("s", ""), 0))
            return works()

        wait_until(lambda: works() or click(), f"what {label!r} does")

    def tooltip(self) -> str:
        body = ("org.kde.StatusNotifierItem", "ToolTip")
        place = (self._item(), "/StatusNotifierItem", "org.freedesktop.DBus.Properties", "Get")
        ((_, shown),) = self._desk.bus.call(*place, "ss", body)
        return f"{shown[2]}\n{shown[3]}"

    def has_window(self) -> bool:
        return bool(self._desk.run("xdotool", "search", "--onlyvisible", "--name", "^Dayhand$"))

    def wait_for_window(self) -> None:
        """On failure, print all windows and the stacks of the app."""
        try:
            wait_until(self.has_window, "the window")
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
        return self._desk.bus.call(self._item(), "/MenuBar", "com.canonical.dbusmenu", member, signature, body)

    def _entries(self) -> list[tuple[int, str]]:
        _, layout = self._menu("GetLayout", "iias", (0, -1, []))
        return list(_flatten(layout))


def _flatten(node: Any) -> Iterator[tuple[int, str]]:
    number, properties, children = node
    if "label" in properties:
        yield number, _show_label(str(properties["label"][1]))
    for _, child in children:
        yield from _flatten(child)


def _show_label(label: str) -> str:
    """As a panel shows it: an underscore marks the mnemonic, and two are one."""
    return re.sub("_(.?)", r"\1", label)


@pytest.fixture
def program(qtbot: QtBot, desk: Desktop, tmp_path: Path) -> Iterator[Program]:
    """With the sample workflow, which requests one approval; not started yet."""
    prepared = Session(tmp_path)
    prepare_demo(prepared, tmp_path)
    prepared._runtime.close()
    prepared.close()
    made = Program(desk, tmp_path)
    yield made
    if made.process is not None and made.process.poll() is None:
        made.process.terminate()
        made.process.wait(60)
    sys.stdout.write(desk.processes.output()[-6_000:])  # pytest shows this if the test failed
    for log in sorted(tmp_path.glob("logs/*")):
        sys.stdout.write(f"{log.name}: {log.read_text(encoding='utf-8', errors='replace')[-6_000:]}\n")


FAILING_JOB = """import dayhand

flow = dayhand.Workflow("Photos")


@flow.job(cron="0 9 1 1 *")
def backup(ctx):
    ctx.run(["sh", "-c", "printf x >> {tries}; echo try $(wc -c < {tries}): no space left on device; exit 3"])
"""


def deploy_failing_job(program: Program, tries: Path) -> None:
    """Instead of the sample. Each run adds a letter to that file."""
    script = program.folder / "photos.py"
    script.write_text(FAILING_JOB.replace("{tries}", str(tries)), encoding="utf-8")
    session = Session(program.folder)
    validated = session.validate(str(script), script.read_text(encoding="utf-8"))
    session.execute(lambda runtime: runtime.workflow_commands.archive("receipts"))
    session.execute(lambda runtime: runtime.workflow_commands.deploy(validated, DeployOptions(grant=True)))
    session._runtime.close()
    session.close()


def test_a_button_of_a_notification_approves_the_run(desk: Desktop, program: Program) -> None:
    """Without a window; the rows are written once."""
    desk.start_tray()
    desk.start_notifications()
    program.start("--background")
    wait_until(desk.tray_items, "the item in the tray")
    wait_until(lambda: "1 item needs your attention" in program.tooltip(), "the tooltip")
    assert not program.has_window()
    wait_until(lambda: program.has_entry("Receipts: Add 3 rows to expenses"), "the entry")
    desk.wait_for_text(DAEMON, "Add 3 receipts (45.55) to Expenses")
    desk.press(DAEMON, "Approve")
    wait_until(lambda: ("committed", "Filed 3 receipts, 3 so far") in program.runs(), "the run")
    assert len(program.rows()) == 4
    wait_until(lambda: "needs you" not in program.tooltip(), "the tooltip to change")


def test_the_panel_shows_names_with_underscores_and_ampersands_as_they_are(desk: Desktop, program: Program) -> None:
    name = "sync_to_nas & tidy & rest_1"
    script = program.folder / "names.py"
    script.write_text(FAILING_JOB.replace("Photos", name).replace("{tries}", "/dev/null"), encoding="utf-8")
    session = Session(program.folder)
    validated = session.validate(str(script), script.read_text(encoding="utf-8"))
    session.execute(lambda runtime: runtime.workflow_commands.deploy(validated, DeployOptions(grant=True)))
    session._runtime.close()
    session.close()
    desk.start_tray()
    program.start("--background")
    wait_until(desk.tray_items, "the item in the tray")
    wait_until(lambda: program.has_entry(name), "the name")


@pytest.fixture
def tries(desk: Desktop, program: Program) -> Path:
    """A job has failed, and its notification is on the screen. Each run of it adds a letter to this file."""
    made = program.folder / "tries"
    deploy_failing_job(program, made)
    desk.start_tray()
    desk.start_notifications()
    program.start("--background")
    program.ask("run", target="photos")
    desk.wait_for_text(DAEMON, "try 1: no space left on device")
    return made


def test_run_again_in_the_notification_of_a_failed_job_runs_it(desk: Desktop, program: Program, tries: Path) -> None:
    assert {"Photos", "Run again", "Show log"} <= set(desk.texts(DAEMON))
    desk.press(DAEMON, "Run again")
    wait_until(lambda: tries.read_text(encoding="utf-8") == "xx", "the second run")
    assert not program.has_window()


def test_show_log_in_the_notification_of_a_failed_job_opens_its_run(
    desk: Desktop, program: Program, tries: Path
) -> None:
    desk.press(DAEMON, "Show log")
    program.wait_for_window()
    desk.wait_for_text(APP, "try 1: no space left on device")
    assert "History" in desk.texts(APP)
    assert tries.read_text(encoding="utf-8") == "x"


def test_the_window_opens_from_the_menu_closes_to_the_tray_and_quits(desk: Desktop, program: Program) -> None:
    desk.start_tray()
    program.start("--background")
    program.choose("Open Dayhand", program.has_window)
    desk.wait_for_text(APP, "Add 3 receipts (45.55) to Expenses")
    desk.press(APP, "Approve")
    desk.wait_for_text(APP, "Filed 3 receipts, 3 so far")
    assert len(program.rows()) == 4
    desk.run("xdotool", "search", "--onlyvisible", "--name", "^Dayhand$", "windowactivate", "--sync", "key", "ctrl+w")
    wait_until(lambda: not program.has_window(), "the window to close")
    desk.run("xdotool", "keyup", "w", "keyup", "ctrl")  # xdotool stops in between when the window closes
    process = program.process
    assert process is not None and process.poll() is None
    program.choose("Quit", lambda: process.poll() is not None or not desk.tray_items())
    assert process.wait(60) == 0


def test_a_tray_started_after_the_app_gets_its_item(desk: Desktop, program: Program) -> None:
    """Until then there is a minimised window."""
    program.start()
    program.wait_for_window()
    desk.start_tray()
    wait_until(desk.tray_items, "the item in the tray")
    desk.stop_tray()
    desk.start_tray()
    wait_until(lambda: program.has_entry("Quit"), "the item in the tray that came back")
    wait_until(lambda: len(desk.tray_items()) == 1, "one item only")


def test_a_second_start_shows_the_window_of_the_first(desk: Desktop, program: Program) -> None:
    desk.start_tray()
    program.start("--background")
    wait_until(desk.tray_items, "the item in the tray")
    assert not program.has_window()
    second = [sys.executable, "-m", "app.main", "start", "--data-dir", str(program.folder)]
    assert desk.start([*second, "--background"], PYTHONPATH=str(ROOT)).wait(60) == 0
    assert not program.has_window()
    assert desk.start(second, PYTHONPATH=str(ROOT)).wait(60) == 0
    program.wait_for_window()
    assert desk.start([*second, "nothing.py"], PYTHONPATH=str(ROOT)).wait(60) == 0
    desk.wait_for_text(APP, "nothing.py cannot be read: No such file or directory.")
