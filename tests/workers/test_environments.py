"""Real environments, built by uv from a small wheel of our own; nothing comes from the network."""

import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from scheduler.workers import environments
from scheduler.workers.dependencies import Dependencies
from scheduler.workers.environments import CouldNotInstallError, Environments, find_uv
from scheduler.workers.outcomes import Finished
from scheduler.workers.processes import look_up
from scheduler.workers.records import end_orphans
from scheduler.workers.worker import Worker
from tests.workers.harness import Recorder, eventually, job, phase, script

on_linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="another system holds no fence")
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
    said: list[str] = []
    python = made.prepare(TINY, said.append)
    assert python is not None and said
    worker = Worker(script(job("import tiny\nreturn tiny.WORD"), python=Path(python)))
    assert isinstance(worker.load(), Finished)
    assert worker.run(phase(), Recorder()) == Finished({"result": "tiny"})
    worker.end()


@on_linux
def test_what_a_package_does_when_python_starts_is_inside_the_fence(made: Environments) -> None:
    python = made.prepare(TINY)
    assert python is not None
    worker = Worker(script(job("pass"), python=Path(python)))
    assert isinstance(worker.load(), Finished)
    worker.end()
    assert "NoNewPrivs:\t1\n" in (Path(python).parents[1] / "start").read_text()


@on_linux
def test_what_packages_do_when_they_are_built_is_inside_the_fence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\ngrep NoNewPrivs /proc/self/status\nfalse\n")
    uv.chmod(0o755)
    monkeypatch.setattr(environments, "find_uv", lambda: uv)
    said: list[str] = []
    with pytest.raises(CouldNotInstallError):
        Environments(tmp_path).prepare(TINY, said.append)
    assert said[-1] == "NoNewPrivs:\t1\n"


def test_it_is_built_once_for_all_who_need_the_same(made: Environments, monkeypatch: pytest.MonkeyPatch) -> None:
    builds: list[list[str]] = []
    run = made._run
    monkeypatch.setattr(made, "_run", lambda *told: (builds.append(told[1]), run(*told)))
    threads = [threading.Thread(target=made.prepare, args=[TINY]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [arguments[0] for arguments in builds] == ["venv", "pip"]


def test_a_package_that_does_not_exist_is_named(made: Environments) -> None:
    with pytest.raises(CouldNotInstallError) as caught:
        made.prepare(Dependencies(packages=("no-such-package-here",)))
    assert "What the script needs (no-such-package-here) could not be installed: " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "no-such-package-here was not found" in str(caught.value)
    assert made.prepare(TINY) is not None, "and others can still be built"


def test_what_an_interrupted_build_left_is_built_again(made: Environments) -> None:
    python = made.prepare(TINY)
    assert python is not None
    place = Path(python).parents[1]
    (place / "dayhand-ready").unlink()
    Path(python).unlink()
    assert made.prepare(TINY) == python
    assert Path(python).exists()


def test_what_nobody_uses_is_removed(made: Environments) -> None:
    python = made.prepare(TINY)
    assert python is not None
    assert made.remove_unused({made.key_of(TINY)}) == []
    assert made.remove_unused(set()) == [made.key_of(TINY)]
    assert not Path(python).exists()


def test_a_script_without_needs_has_no_environment(tmp_path: Path) -> None:
    assert Environments(tmp_path).prepare(Dependencies()) is None
    assert not (tmp_path / "environments").exists()


def test_without_uv_the_person_learns_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "find_uv", lambda: None)
    with pytest.raises(CouldNotInstallError, match="This script needs tiny, and uv, which installs it, was not found"):
        Environments(tmp_path).prepare(TINY)


def fake_uv(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> Environments:
    """Stands in for uv, whose own doings a test cannot time."""
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\n{body}\n")
    uv.chmod(0o755)
    monkeypatch.setattr(environments, "find_uv", lambda: uv)
    return Environments(tmp_path / "data")


@pytest.mark.parametrize("name", ["https_proxy", "http_proxy", "no_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"])
def test_uv_hears_of_the_proxy_however_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "http://proxy.example:3128")
    made = fake_uv(tmp_path, monkeypatch, f'echo "it is ${name}"\nfalse')
    with pytest.raises(CouldNotInstallError, match=r"it is http://proxy\.example:3128"):
        made.prepare(TINY)


def test_what_uv_says_without_end_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = fake_uv(tmp_path, monkeypatch, "yes 'a long line that comes again' | head -c 5000000\necho the end\nfalse")
    said: list[str] = []
    with pytest.raises(CouldNotInstallError, match="the end"):
        made.prepare(TINY, said.append)
    assert sum(map(len, said)) < 1_100_000


_BUILDER = """
import sys
from pathlib import Path
from scheduler.workers import environments
from scheduler.workers.dependencies import Dependencies
environments.find_uv = lambda: Path(sys.argv[1])
needs = Dependencies(packages=("tiny",))
environments.Environments(Path(sys.argv[2])).prepare(needs, lambda line: print(line, end="", flush=True))
"""


@on_linux
def test_uv_and_what_it_started_do_not_outlive_a_host_that_is_killed(tmp_path: Path) -> None:
    uv = tmp_path / "uv"
    uv.write_text('#!/bin/sh\nsetsid sleep 1000 &\necho "pids $$ $!"\nwait\n')
    uv.chmod(0o755)
    command = [sys.executable, "-c", _BUILDER, str(uv), str(tmp_path / "data")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]) as host:
        assert host.stdout is not None
        line = next(line for line in host.stdout if line.startswith("pids"))
        own, child = map(int, line.split()[1:])
        host.kill()
    assert eventually(lambda: not is_running(own)), "uv lives on"
    end_orphans(tmp_path / "data")
    assert eventually(lambda: not is_running(child)), "what it started lives on after the next start"


def is_running(pid: int) -> bool:
    found = look_up(pid)
    return found is not None and found.is_alive
