"""The entry point, and what a frozen app does first. tests/packaging runs a really frozen one."""

import os
import subprocess
import sys
from pathlib import Path

import dayhand
import pytest

from app import main
from app.cli import command_line

SDK = Path(dayhand.__file__).parent


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulates a start by PyInstaller."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(SDK.parent), raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/lib/dayhand/_internal")
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", "/usr/lib/dayhand/dayhand")


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The arguments passed to a fake command line."""
    passed: list[list[str]] = []
    monkeypatch.setattr(command_line, "run", lambda arguments: passed.append(list(arguments)) or 7)
    return passed


def test_arguments_are_passed_on_and_the_exit_code_is_returned(passed: list[list[str]]) -> None:
    assert main.main(["list", "--json"]) == 7
    assert passed == [["list", "--json"]]


@pytest.mark.usefixtures("frozen")
def test_a_frozen_app_restores_the_library_path_for_its_children(passed: list[list[str]]) -> None:
    main.main(["list"])
    assert "LD_LIBRARY_PATH" not in os.environ
    assert not any(name.startswith("_PYI_") for name in os.environ)


@pytest.mark.usefixtures("passed")
def test_an_app_that_is_not_frozen_keeps_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/mine")
    main.main(["list"])
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/mine"


def test_a_crash_writes_no_core_dump(tmp_path: Path) -> None:
    """The memory contains passwords. The hard limit is kept, so that a job can still enable dumps."""
    code = """import os, resource, app.cli.command_line, app.main
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
before = resource.getrlimit(resource.RLIMIT_CORE)[1]
limit = lambda: resource.getrlimit(resource.RLIMIT_CORE)
app.cli.command_line.run = lambda _: print(limit() == (0, before), flush=True) or os.abort()
app.main.main([])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "True\n" and done.returncode < 0
    assert list(tmp_path.iterdir()) == []


def test_the_users_own_library_path_is_restored() -> None:
    given = {"LD_LIBRARY_PATH": "/bundle:/opt/mine", "LD_LIBRARY_PATH_ORIG": "/opt/mine", "_PYI_X": "1", "HOME": "/h"}
    main.restore_environment(given)
    assert given == {"LD_LIBRARY_PATH": "/opt/mine", "HOME": "/h"}


@pytest.mark.usefixtures("frozen")
def test_a_worker_does_not_load_the_command_line(passed: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    monkeypatch.setattr(main, "run_worker", lambda: started.append("worker") or 0)
    assert main.main(["--worker", "{}"]) == 0
    assert (started, passed) == (["worker"], [])


def test_only_a_frozen_app_is_its_own_worker(passed: list[list[str]]) -> None:
    main.main(["--worker", "{}"])
    assert passed == [["--worker", "{}"]]


def test_a_worker_loads_dayhand_from_its_source_files() -> None:
    """Without a host a worker exits with 0 as soon as it has loaded everything."""
    code = f"""
import os
import sys
sys.frozen, sys._MEIPASS = True, {str(SDK.parent)!r}
reading, writing = os.pipe()
told = '{{"read": %d, "write": %d, "message": 100, "host": 1, "mark": 0, "sandbox": true}}' % (reading, writing)
sys.argv = ['dayhand', '--worker', told]
leave = os._exit
def report(code):
    os.write(2, sys.modules['dayhand'].__file__.encode())
    leave(code)
os._exit = report
from app.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert Path(done.stderr) == SDK / "__init__.py"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the sandbox is Linux only")
def test_a_frozen_app_sandboxes_other_programs() -> None:
    code = f"""
import sys
sys.frozen, sys._MEIPASS = True, {str(SDK.parent)!r}
sys.argv = ['dayhand', '--sandbox', '/bin/grep', 'NoNewPrivs', '/proc/self/status']
from app.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "NoNewPrivs:\t1\n", done.stderr


def test_a_frozen_app_is_started_at_login_as_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if another copy is installed."""
    from app.platform.autostart import autostart_command

    (tmp_path / "dayhand").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/opt/dayhand/dayhand")
    assert autostart_command(tmp_path)[:3] == ["/opt/dayhand/dayhand", "-m", "app.main"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert autostart_command(tmp_path)[:3] == ["/opt/dayhand/dayhand", "start", "--background"]


def test_on_windows_it_is_started_at_login_without_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.platform.autostart import autostart_command

    monkeypatch.setattr(sys, "executable", "/opt/dayhand/python.exe")
    assert autostart_command(tmp_path, "win32")[:4] == ["/opt/dayhand/pythonw.exe", "-m", "app.main", "start"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/dayhand/dayhand.exe")
    assert autostart_command(tmp_path, "win32")[:2] == ["/opt/dayhand/dayhand.exe", "start"]
