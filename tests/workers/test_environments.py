"""Real environments, built by uv from a small local wheel without network."""

import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from scheduler.workers import environments
from scheduler.workers.environments import Dependencies, Environments, InstallFailedError, find_uv
from scheduler.workers.outcomes import Finished
from scheduler.workers.processes import find_process
from scheduler.workers.worker import Worker
from scheduler.workers.worker_records import kill_orphans
from tests.workers.worker_fixture import Recorder, eventually, job, phase, script

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is no sandbox on this system")
TINY = Dependencies(packages=("tiny",))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Environments:
    if find_uv() is None:
        pytest.skip("uv is not installed")
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    with zipfile.ZipFile(wheels / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "WORD = 'tiny'\n")
        wheel.writestr(
            "tiny.pth", "import sys; open(sys.prefix + '/start', 'w').write(open('/proc/self/status').read())"
        )
        wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("UV_FIND_LINKS", str(wheels))
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "cache"))
    return Environments(tmp_path / "data")


def test_a_script_runs_with_its_packages_and_without_ours(made: Environments) -> None:
    output: list[str] = []
    python = made.prepare(TINY, output.append)
    assert python is not None and output
    worker = Worker(script(job("import tiny\nreturn tiny.WORD"), python=Path(python)))
    assert isinstance(worker.load(), Finished)
    assert worker.run(phase(), Recorder()) == Finished({"result": "tiny"})
    worker.end()


@on_linux
def test_code_of_a_package_at_python_start_runs_in_the_sandbox(made: Environments) -> None:
    python = made.prepare(TINY)
    assert python is not None
    worker = Worker(script(job("pass"), python=Path(python)))
    assert isinstance(worker.load(), Finished)
    worker.end()
    assert "NoNewPrivs:\t1\n" in (Path(python).parents[1] / "start").read_text()


@on_linux
def test_code_of_a_package_at_build_time_runs_in_the_sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\ngrep NoNewPrivs /proc/self/status\nfalse\n")
    uv.chmod(0o755)
    monkeypatch.setattr(environments, "find_uv", lambda: uv)
    output: list[str] = []
    with pytest.raises(InstallFailedError):
        Environments(tmp_path).prepare(TINY, output.append)
    assert output[-1] == "NoNewPrivs:\t1\n"


def test_an_environment_is_built_once_for_concurrent_callers(
    made: Environments, monkeypatch: pytest.MonkeyPatch
) -> None:
    builds: list[list[str]] = []
    run = made._run
    monkeypatch.setattr(made, "_run", lambda *arguments: (builds.append(arguments[1]), run(*arguments)))
    threads = [threading.Thread(target=made.prepare, args=[TINY]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [arguments[0] for arguments in builds] == ["venv", "pip"]


def test_a_missing_package_is_named_in_the_error(made: Environments) -> None:
    with pytest.raises(InstallFailedError) as caught:
        made.prepare(Dependencies(packages=("no-such-package-here",)))
    assert "The script's packages (no-such-package-here) could not be installed: " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "no-such-package-here was not found" in str(caught.value)
    assert made.prepare(TINY) is not None, "other environments can still be built"


def test_an_interrupted_build_is_repeated(made: Environments) -> None:
    python = made.prepare(TINY)
    assert python is not None
    place = Path(python).parents[1]
    (place / "dayhand-ready").unlink()
    Path(python).unlink()
    assert made.prepare(TINY) == python
    assert Path(python).exists()


def test_unused_environments_are_removed(made: Environments) -> None:
    python = made.prepare(TINY)
    assert python is not None
    assert made.remove_unused({made.key_for(TINY)}) == []
    assert made.remove_unused(set()) == [made.key_for(TINY)]
    assert not Path(python).exists()


def test_a_script_without_dependencies_has_no_environment(tmp_path: Path) -> None:
    assert Environments(tmp_path).prepare(Dependencies()) is None
    assert not (tmp_path / "environments").exists()


def test_without_uv_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "find_uv", lambda: None)
    with pytest.raises(
        InstallFailedError, match="This script needs tiny, but uv, which installs packages, was not found"
    ):
        Environments(tmp_path).prepare(TINY)


def fake_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> Environments:
    """A fake uv, since a test cannot control the timing of the real one."""
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\n{body}\n")
    uv.chmod(0o755)
    monkeypatch.setattr(environments, "find_uv", lambda: uv)
    return Environments(tmp_path / "data")


@pytest.mark.posix("its uv is a shell script")
@pytest.mark.parametrize("name", ["https_proxy", "http_proxy", "no_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def test_uv_gets_the_proxy_settings_in_either_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "http://proxy.example:3128")
    made = fake_uv(tmp_path, monkeypatch, f'echo "proxy ${name}"\nfalse')
    with pytest.raises(InstallFailedError, match=r"proxy http://proxy\.example:3128"):
        made.prepare(TINY)


@pytest.mark.posix("its uv is a shell script")
def test_endless_output_of_uv_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = fake_uv(tmp_path, monkeypatch, "yes 'a long repeated line' | head -c 5000000\necho the end\nfalse")
    output: list[str] = []
    with pytest.raises(InstallFailedError, match="the end"):
        made.prepare(TINY, output.append)
    assert sum(map(len, output)) < 1_100_000


_BUILDER = """
import sys
from pathlib import Path
from scheduler.workers import environments
from scheduler.workers.environments import Dependencies
environments.find_uv = lambda: Path(sys.argv[1])
needs = Dependencies(packages=("tiny",))
environments.Environments(Path(sys.argv[2])).prepare(needs, lambda line: print(line, end="", flush=True))
"""


@on_linux
def test_uv_and_its_children_do_not_outlive_a_killed_host(tmp_path: Path) -> None:
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\nsetsid sleep 1000 &\necho "pids $$ $!"\nwait\n')
    uv.chmod(0o755)
    command = [sys.executable, "-c", _BUILDER, str(uv), str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as host:
        assert host.stdout is not None
        line = next(line for line in host.stdout if line.startswith("pids"))
        own, child = map(int, line.split()[1:])
        host.kill()
    assert eventually(lambda: not is_running(own)), "uv is still running"
    kill_orphans(tmp_path / "data")
    assert eventually(lambda: not is_running(child)), "its child is still running after the next start"


def is_running(pid: int) -> bool:
    process = find_process(pid)
    return process is not None and process.is_alive
