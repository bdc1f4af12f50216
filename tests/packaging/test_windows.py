"""The Windows installer under Wine: what it installs, what runs, that it upgrades in place and uninstalls completely.

The installer is the latest of packaging/build, or the file in DAYHAND_SETUP.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.windows_machine import WindowsMachine, wait_until, windows_machine

pytestmark = pytest.mark.windows

RUN = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Run"
APPROVED = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
KEY = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Dayhand"
ENVIRONMENT = r"HKCU\Environment"
FOLDER = r"C:\users\root\AppData\Local\Programs\Dayhand"
PYTHON = rf"{FOLDER}\python\python.exe"
SAMPLE = r"Z:\dayhand\resources\samples\receipts.py"


@pytest.fixture(scope="module")
def windows() -> Iterator[WindowsMachine]:
    with windows_machine(taskbar=True) as machine:
        yield machine


@pytest.fixture(scope="module")
def installer(windows: WindowsMachine, setup: Path) -> str:
    """As if downloaded."""
    shutil.copy(setup, windows.home)
    return rf"C:\users\root\{setup.name}"


def install(windows: WindowsMachine, installer: str) -> None:
    """Without an output, which the app that it starts again would keep open."""
    assert windows.start("wine", installer, "/S").wait() == 0


def folder_of(windows: WindowsMachine) -> Path:
    return windows.home / "AppData" / "Local" / "Programs" / "Dayhand"


def dayhand(windows: WindowsMachine, *arguments: str) -> str:
    return windows.do(PYTHON, "-m", "app.main", *arguments)


def programs(windows: WindowsMachine) -> list[str]:
    """The ids of the processes that run from its folder."""
    return windows.do(PYTHON, r"Z:\dayhand\tests\packaging\windows_programs.py", FOLDER).split()


def test_it_installs_silently_for_one_user(windows: WindowsMachine, installer: str) -> None:
    windows.do("reg", "add", ENVIRONMENT, "/v", "Path", "/t", "REG_EXPAND_SZ", "/d", r"%USERPROFILE%\tools", "/f")
    install(windows, installer)
    folder = folder_of(windows)
    for name in ("python/python.exe", "python/uv.exe", "lib/app/main.py", "lib/dayhand/__init__.py", "uninstall.exe"):
        assert (folder / name).is_file(), name
    [shortcut] = windows.named("Dayhand.lnk")
    assert shortcut.parts[-4:] == ("Windows", "Start Menu", "Programs", "Dayhand.lnk")


def test_the_apps_page_of_the_settings_has_what_it_shows(windows: WindowsMachine) -> None:
    entry = windows.do("reg", "query", KEY)
    for name in ("DisplayName", "DisplayVersion", "DisplayIcon", "Publisher", "EstimatedSize", "QuietUninstallString"):
        assert name in entry
    assert rf'"{FOLDER}\uninstall.exe" /S' in entry


def test_the_command_is_on_the_users_path_behind_what_was_there(windows: WindowsMachine) -> None:
    entry = windows.do("reg", "query", ENVIRONMENT, "/v", "Path")
    assert "REG_EXPAND_SZ" in entry
    assert rf"%USERPROFILE%\tools;{FOLDER}\bin" in entry
    assert windows.do("cmd", "/c", "dayhand", "--version").startswith("dayhand ")


def test_its_python_runs_commands_without_a_window(windows: WindowsMachine) -> None:
    assert dayhand(windows, "preview", "every 5m", "--count", "1").startswith("Every 5 minutes")


def test_autostart_is_in_the_registry_and_follows_the_task_manager(windows: WindowsMachine) -> None:
    def switch(act: str) -> str:
        code = f"from app.platform.windows_autostart import RunKey; entry = RunKey(['C:/a b/x.exe', 'start']); {act}"
        return windows.do(PYTHON, "-c", code).strip()

    def set_approved(first: str) -> None:
        windows.do("reg", "add", APPROVED, "/v", "Dayhand", "/t", "REG_BINARY", "/d", first + 22 * "0", "/f")

    assert switch("print(entry.is_on()); entry.turn_off(); entry.turn_on(); print(entry.is_on())").split() == [
        "False",
        "True",
    ]
    assert '"C:/a b/x.exe" start' in windows.do("reg", "query", RUN)
    set_approved("03")
    assert switch("print(entry.is_on())") == "False"
    set_approved("02")
    assert switch("print(entry.is_on())") == "True"
    set_approved("03")
    assert switch("entry.turn_on(); print(entry.is_on())") == "True"
    assert switch("entry.turn_off(); print(entry.is_on())") == "False"
    assert switch("entry.turn_on()") == "", "it is left for the uninstaller"
    set_approved("02")


def test_a_workflow_is_deployed_and_listed_without_a_running_app(windows: WindowsMachine) -> None:
    deployed = dayhand(windows, "deploy", SAMPLE)
    assert "Receipts needs your permission to add rows to expenses" in deployed
    assert "Receipts  Queued" in dayhand(windows, "list")


@pytest.fixture(scope="module")
def results(windows: WindowsMachine) -> dict[str, Any]:
    return dict(json.loads(windows.do(PYTHON, r"Z:\dayhand\tests\packaging\windows_checks.py")))


def test_a_worker_runs_phases_and_stays_warm(results: dict[str, Any]) -> None:
    assert results["look"] == {
        "outcome": "Finished",
        "value": {"state": {"seen": 1}},
        "published": ["a.txt", "b.txt"],
        "text": "looks on win32\n",
        "usable": True,
    }
    assert results["again"]["value"] == {"state": {"seen": 2}}
    assert (results["print_much"]["outcome"], results["print_much"]["text"]) == ("Finished", 300_001)


def test_a_worker_is_stopped_or_killed_with_its_children(windows: WindowsMachine, results: dict[str, Any]) -> None:
    assert (results["wait_for_command"]["outcome"], results["wait_for_command"]["usable"]) == ("TimedOut", True)
    assert (results["never_end"]["outcome"], results["never_end"]["usable"]) == ("TimedOut", False)
    assert (results["killed"]["outcome"], results["killed"]["usable"]) == ("Cancelled", False)
    for name in ("never_end", "killed"):
        assert str(int(results[name]["text"])) not in windows.do("tasklist").split(), name


def test_a_worker_that_exits_is_reported(results: dict[str, Any]) -> None:
    assert results["exit"]["outcome"] == "WorkerDied"
    assert "with code 9" in results["exit"]["value"]


def start(windows: WindowsMachine) -> None:
    """As from the Start menu, until it answers."""
    windows.start("wine", rf"{FOLDER}\python\pythonw.exe", "-m", "app.main")
    wait_until(lambda: is_running(windows), "the running app")


def is_running(windows: WindowsMachine) -> bool:
    """Only a running app starts runs at once."""
    return windows.run(PYTHON, "-m", "app.main", "run", "receipts/check").returncode == 0


def approvals(windows: WindowsMachine) -> list[str]:
    requests = json.loads(dayhand(windows, "attention", "--json")).get("requests", [])
    return [request["id"] for request in requests if request["kind"] == "approval"]


def rows(windows: WindowsMachine) -> list[str]:
    table = windows.home / "expenses.csv"
    return table.read_text("utf-8").splitlines()[1:] if table.exists() else []


def add_receipt(windows: WindowsMachine, name: str, shop: str) -> None:
    folder = windows.home / "receipts"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"{shop}\nDate: 2026-11-12\nTotal: 7.40\n")


def test_the_sample_asks_adds_its_row_and_after_a_kill_adds_nothing_twice(windows: WindowsMachine) -> None:
    add_receipt(windows, "one.txt", "Corner Bakery")
    dayhand(windows, "connect", "files:receipts", "--path", r"C:\users\root\receipts")
    dayhand(windows, "connect", "table:expenses", "--path", r"C:\users\root\expenses.csv")
    dayhand(windows, "deploy", SAMPLE, "--grant")
    start(windows)
    [request] = wait_until(lambda: approvals(windows), "the question")
    dayhand(windows, "approve", request)
    wait_until(lambda: len(rows(windows)) == 1, "the row in the table")
    add_receipt(windows, "two.txt", "Paper Moon Books")
    dayhand(windows, "run", "receipts/check")
    [request] = wait_until(lambda: approvals(windows), "the second question")
    for pid in programs(windows):
        windows.run("taskkill", "/F", "/PID", pid)
    assert programs(windows) == []
    start(windows)
    assert approvals(windows) == [request], "the question waits"
    assert len(rows(windows)) == 1
    dayhand(windows, "approve", request)
    wait_until(lambda: len(rows(windows)) == 2, "the second row")
    assert [line.count("Bakery") + 2 * line.count("Moon") for line in rows(windows)] == [1, 2]


def test_an_upgrade_restarts_the_running_app_and_keeps_the_data(windows: WindowsMachine, installer: str) -> None:
    before = programs(windows)
    assert before
    add_receipt(windows, "three.txt", "Nuts and Bolts")
    dayhand(windows, "run", "receipts/check")
    [request] = wait_until(lambda: approvals(windows), "the question")
    leftover = folder_of(windows) / "lib" / "of_an_earlier_version.py"
    leftover.write_text("")
    install(windows, installer)
    assert not leftover.exists()
    wait_until(lambda: is_running(windows), "the restarted app")
    assert set(programs(windows)).isdisjoint(before)
    assert approvals(windows) == [request]
    assert windows.do("reg", "query", ENVIRONMENT, "/v", "Path").count(r"Dayhand\bin") == 1


def test_it_uninstalls_silently_and_completely_while_the_app_runs(windows: WindowsMachine) -> None:
    folder = folder_of(windows)
    windows.do(rf"{FOLDER}\uninstall.exe", "/S")
    wait_until(lambda: not folder.exists(), "the end of its folder")  # a copy of it does the work
    wait_until(lambda: windows.run("reg", "query", KEY).returncode != 0, "the end of its entry")
    assert windows.named("Dayhand.lnk") == []
    for key in (RUN, APPROVED):
        assert "Dayhand" not in windows.do("reg", "query", key)
    path = windows.do("reg", "query", ENVIRONMENT, "/v", "Path")
    assert r"%USERPROFILE%\tools" in path and "Dayhand" not in path
    assert "pythonw.exe" not in windows.do("tasklist")
    assert len(windows.named("dayhand.db")) == 1, "the data belongs to the user"
