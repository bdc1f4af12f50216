"""The Windows installer under Wine: what it installs, what runs without a window, and that it uninstalls completely.

Wine 8 lacks a library that Qt needs, and the app as a whole cannot run on Windows yet, see the README.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.desktop.processes import wait_until

pytestmark = pytest.mark.packaging

CLONE = Path(__file__).parents[2]
RUN = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Run"
APPROVED = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
KEY = r"HKCU\Software\Microsoft\Windows\CurrentVersion\Uninstall\Dayhand"
WINE = shutil.which("wine64") or "/usr/lib/wine/wine64"


class Windows:
    def __init__(self, prefix: Path) -> None:
        self._environment = {**os.environ, "WINEPREFIX": str(prefix), "WINEDEBUG": "-all", "DISPLAY": ""}
        self.drive = prefix / "drive_c"

    def run(self, *command: str) -> "subprocess.CompletedProcess[str]":
        # Python under Wine needs streams that are files or pipes.
        return subprocess.run(
            [WINE, *command],
            env=self._environment,
            stdin=subprocess.PIPE,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=300,
            check=False,
        )

    def named(self, name: str) -> list[Path]:
        return sorted(self.drive.rglob(name))


@pytest.fixture(scope="module")
def windows() -> Iterator[Windows]:
    if not Path(WINE).exists():
        pytest.skip("wine64 is not installed")
    with TemporaryDirectory(prefix="wine-", ignore_cleanup_errors=True) as folder:
        made = Windows(Path(folder))
        made.run("wineboot", "--init")
        yield made
        made.run("wineboot", "--kill")


def test_it_installs_silently_for_one_user(windows: Windows, setup: Path) -> None:
    assert windows.run(str(setup), "/S").returncode == 0
    [folder] = [path for path in windows.named("Dayhand") if path.is_dir()]
    assert folder.parts[-4:] == ("AppData", "Local", "Programs", "Dayhand")
    for name in ("python/python.exe", "python/uv.exe", "lib/app/main.py", "lib/dayhand/__init__.py", "uninstall.exe"):
        assert (folder / name).is_file(), name
    assert len(windows.named("Dayhand.lnk")) == 1
    output = windows.run("reg", "query", KEY).stdout
    assert "DisplayVersion" in output
    assert "uninstall.exe" in output


def test_its_python_runs_commands_without_a_window(windows: Windows) -> None:
    [python] = windows.named("python.exe")
    assert windows.run(str(python), "-m", "app.main", "--version").stdout.startswith("dayhand ")
    output = windows.run(str(python), "-m", "app.main", "preview", "every 5m", "--count", "1").stdout
    assert output.startswith("Every 5 minutes")


def test_autostart_is_in_the_registry_and_follows_the_task_manager(windows: Windows) -> None:
    [python] = windows.named("python.exe")

    def switch(act: str) -> str:
        code = f"from app.platform.windows_autostart import RunKey; entry = RunKey(['C:/a b/x.exe', 'start']); {act}"
        return windows.run(str(python), "-c", code).stdout.strip()

    def set_approved(first: str) -> None:
        windows.run("reg", "add", APPROVED, "/v", "Dayhand", "/t", "REG_BINARY", "/d", first + 22 * "0", "/f")

    assert switch("print(entry.is_on()); entry.turn_off(); entry.turn_on(); print(entry.is_on())").split() == [
        "False",
        "True",
    ]
    assert '"C:/a b/x.exe" start' in windows.run("reg", "query", RUN).stdout
    set_approved("03")
    assert switch("print(entry.is_on())") == "False"
    set_approved("02")
    assert switch("print(entry.is_on())") == "True"
    set_approved("03")
    assert switch("entry.turn_on(); print(entry.is_on())") == "True"
    assert switch("entry.turn_off(); print(entry.is_on())") == "False"
    assert switch("entry.turn_on()") == "", "it is left for the uninstaller"
    set_approved("02")


def test_a_workflow_is_deployed_and_listed_without_a_running_app(windows: Windows) -> None:
    [python] = windows.named("python.exe")
    sample = CLONE / "resources" / "samples" / "receipts.py"
    folder = ("--data-dir", r"C:\data")
    deployed = windows.run(str(python), "-m", "app.main", "deploy", str(sample), *folder)
    assert "Receipts needs your permission to add rows to expenses" in deployed.stdout, deployed.stderr
    assert "Receipts  Queued" in windows.run(str(python), "-m", "app.main", "list", *folder).stdout


@pytest.fixture(scope="module")
def results(windows: Windows) -> dict[str, Any]:
    [python] = windows.named("python.exe")
    done = windows.run(str(python), str(Path(__file__).with_name("windows_checks.py")))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


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


def test_a_worker_is_stopped_or_killed_with_its_children(windows: Windows, results: dict[str, Any]) -> None:
    assert (results["wait_for_command"]["outcome"], results["wait_for_command"]["usable"]) == ("TimedOut", True)
    assert (results["never_end"]["outcome"], results["never_end"]["usable"]) == ("TimedOut", False)
    assert (results["killed"]["outcome"], results["killed"]["usable"]) == ("Cancelled", False)
    for name in ("never_end", "killed"):
        assert str(int(results[name]["text"])) not in windows.run("tasklist").stdout.split(), name


def test_a_worker_that_exits_is_reported(results: dict[str, Any]) -> None:
    assert results["exit"]["outcome"] == "WorkerDied"
    assert "with code 9" in results["exit"]["value"]


def test_it_uninstalls_silently_and_completely(windows: Windows) -> None:
    [program] = windows.named("uninstall.exe")
    assert windows.run(str(program), "/S").returncode == 0
    wait_until(lambda: not program.parent.exists(), "the end of its folder")  # a copy of it does the work
    wait_until(lambda: windows.run("reg", "query", KEY).returncode != 0, "the end of its entry")
    assert windows.named("Dayhand*") == []
    for key in (RUN, APPROVED):
        assert "Dayhand" not in windows.run("reg", "query", key).stdout
