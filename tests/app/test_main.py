"""The entry point: what a frozen app does before anything else. That it works once frozen, tests/packaging shows."""

import os
import subprocess
import sys
from pathlib import Path

import dayhand
import pytest

from app import cli, main

SDK = Path(dayhand.__file__).parent


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """As PyInstaller starts it: the variables are really there, the flag stands in for its loader."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "_MEIPASS", str(SDK.parent), raising=False)
    monkeypatch.setenv("LD_LIBRARY_PATH", "/usr/lib/dayhand/_internal")
    monkeypatch.setenv("_PYI_ARCHIVE_FILE", "/usr/lib/dayhand/dayhand")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the command line was asked, which here does nothing."""
    heard: list[list[str]] = []
    monkeypatch.setattr(cli, "run", lambda arguments: heard.append(list(arguments)) or 7)
    return heard


def test_arguments_go_to_the_command_line_and_its_code_comes_back(asked: list[list[str]]) -> None:
    assert main.main(["list", "--json"]) == 7
    assert asked == [["list", "--json"]]


@pytest.mark.usefixtures("frozen")
def test_what_a_frozen_app_starts_finds_the_libraries_of_the_system(asked: list[list[str]]) -> None:
    main.main(["list"])
    assert "LD_LIBRARY_PATH" not in os.environ
    assert not any(name.startswith("_PYI_") for name in os.environ)


@pytest.mark.usefixtures("asked")
def test_an_app_that_is_not_frozen_leaves_its_surroundings_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/mine")
    main.main(["list"])
    assert os.environ["LD_LIBRARY_PATH"] == "/opt/mine"


def test_a_crash_leaves_no_memory_on_the_disk(tmp_path: Path) -> None:
    """The memory holds passwords; the person who wants a dump of a job may still ask for one."""
    code = """import os, resource, app.cli, app.main
resource.setrlimit(resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2)
before = resource.getrlimit(resource.RLIMIT_CORE)[1]
app.cli.run = lambda _: print(resource.getrlimit(resource.RLIMIT_CORE) == (0, before), flush=True) or os.abort()
app.main.main([])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout == "True\n" and done.returncode < 0
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_the_person_had_set_comes_back() -> None:
    given = {"LD_LIBRARY_PATH": "/bundle:/opt/mine", "LD_LIBRARY_PATH_ORIG": "/opt/mine", "_PYI_X": "1", "HOME": "/h"}
    main.clean(given)
    assert given == {"LD_LIBRARY_PATH": "/opt/mine", "HOME": "/h"}


@pytest.mark.usefixtures("frozen")
def test_a_worker_is_started_without_the_command_line(asked: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[str] = []
    monkeypatch.setattr(main, "work", lambda: began.append("worker") or 0)
    assert main.main(["--worker", "{}"]) == 0
    assert (began, asked) == (["worker"], [])


def test_only_a_frozen_app_is_its_own_worker(asked: list[list[str]]) -> None:
    main.main(["--worker", "{}"])
    assert asked == [["--worker", "{}"]]


def test_a_worker_loads_dayhand_from_the_files_that_other_pythons_load() -> None:
    """A host that has gone is the quickest end of a worker: it leaves with 0, having loaded everything."""
    code = f"""
import os
import sys
sys.frozen, sys._MEIPASS = True, {str(SDK.parent)!r}
reading, writing = os.pipe()
told = '{{"read": %d, "write": %d, "message": 100, "host": 1, "fence": true}}' % (reading, writing)
sys.argv = ['dayhand', '--worker', told]
leave = os._exit
def tell(code):
    os.write(2, sys.modules['dayhand'].__file__.encode())
    leave(code)
os._exit = tell
from app.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert Path(done.stderr) == SDK / "__init__.py"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system holds no fence")
def test_a_frozen_app_raises_the_fence_around_other_programs() -> None:
    code = f"""
import sys
sys.frozen, sys._MEIPASS = True, {str(SDK.parent)!r}
sys.argv = ['dayhand', '--fence', '/bin/grep', 'NoNewPrivs', '/proc/self/status']
from app.main import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "NoNewPrivs:\t1\n", done.stderr


def test_a_frozen_app_is_started_at_login_as_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Though another one may be installed, as beside a folder that was unpacked."""
    from app.life.command import start_command

    (tmp_path / "dayhand").touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/opt/dayhand/dayhand")
    assert start_command(tmp_path)[:3] == ["/opt/dayhand/dayhand", "-m", "app.main"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert start_command(tmp_path)[:3] == ["/opt/dayhand/dayhand", "start", "--background"]


def test_on_windows_it_is_started_at_login_without_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from app.life.command import start_command

    monkeypatch.setattr(sys, "executable", "/opt/dayhand/python.exe")
    assert start_command(tmp_path, "win32")[:4] == ["/opt/dayhand/pythonw.exe", "-m", "app.main", "start"]
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/dayhand/dayhand.exe")
    assert start_command(tmp_path, "win32")[:2] == ["/opt/dayhand/dayhand.exe", "start"]
