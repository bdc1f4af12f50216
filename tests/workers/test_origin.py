"""The origin of a process as found in /proc; fake files stand in for systems that a test cannot create."""

from pathlib import Path

import pytest

from scheduler.workers import origin, processes
from scheduler.workers.origin import ProcessOrigin, origin_of

SESSION = "0::/user.slice/user-1000.slice/session-2.scope"
MANAGER = "0::/user.slice/user-1000.slice/user@1000.service/app.slice"


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(processes, "_PROC", str(tmp_path))
    monkeypatch.setattr(origin, "HAS_PROCESS_MARKS", True)
    return tmp_path


def add(proc: Path, pid: int, parent: int = 0, *, name: str = "sh", tty: int = 0, limit: str = "unlimited") -> Path:
    place = proc / str(pid)
    place.mkdir()
    (place / "stat").write_text(f"{pid} ({name}) S {parent} {pid} {pid} {tty} -1 {' '.join(['0'] * 13)} 77 0 0")
    (place / "limits").write_text(
        f"Limit   Soft Limit   Hard Limit   Units\nMax file locks   {limit}   {limit}   locks\n"
    )
    (place / "cgroup").write_text(f"{SESSION}\n")
    return place


@pytest.mark.posix("needs a terminal of Linux")
def test_a_command_in_a_terminal_was_started_by_the_user(proc: Path) -> None:
    add(proc, 1, name="systemd")
    add(proc, 20, 1, name="bash", tty=34816)
    add(proc, 30, 20, name="dayhand) S 1 (", tty=34816)
    assert origin_of(30, None) is ProcessOrigin.USER


@pytest.mark.posix("Windows recognizes scripts by their job object")
def test_a_limit_set_by_an_administrator_is_not_the_mark(proc: Path) -> None:
    add(proc, 30, limit="1000")
    assert origin_of(30, None) is ProcessOrigin.USER


@pytest.mark.posix("Windows recognizes scripts by their job object")
def test_a_process_that_lost_the_mark_is_recognized_by_its_parent(proc: Path) -> None:
    """`sudo -u me` resets limits."""
    add(proc, 20, limit="0")
    add(proc, 30, 20)
    assert origin_of(30, None) is ProcessOrigin.SCRIPT


@pytest.mark.parametrize("missing", ["stat", "limits"])
def test_what_cannot_be_seen_is_unknown(proc: Path, missing: str) -> None:
    (add(proc, 30) / missing).unlink()
    assert origin_of(30, None) is ProcessOrigin.UNKNOWN


def test_a_dead_one_is_unknown(proc: Path) -> None:
    stat = add(proc, 30) / "stat"
    stat.write_text(stat.read_text().replace(" S ", " Z "))
    assert origin_of(30, None) is ProcessOrigin.UNKNOWN


@pytest.mark.parametrize("name", ["atd", "cron", "crond", "dbus-daemon"])
def test_a_process_started_by_a_launcher_has_unknown_origin(proc: Path, name: str) -> None:
    add(proc, 10, name=name)
    add(proc, 20, 10)
    add(proc, 30, 20)
    assert origin_of(30, None) is ProcessOrigin.UNKNOWN


@pytest.mark.posix("systemd is on Linux only")
@pytest.mark.parametrize(
    ("group", "tty", "expected"),
    [
        (f"{MANAGER}/run-r1.service", 0, ProcessOrigin.UNKNOWN),
        (f"1:name=systemd:{MANAGER[3:]}/run-r1.service", 0, ProcessOrigin.UNKNOWN),
        (f"{MANAGER}/gnome-terminal-server.service", 34816, ProcessOrigin.USER),
        (f"{MANAGER}/app-gnome-code-12.scope", 0, ProcessOrigin.USER),
        ("0::/system.slice/runner.service", 0, ProcessOrigin.USER),
        ("0::/", 0, ProcessOrigin.USER),
    ],
)
def test_a_service_of_the_user_manager_has_unknown_origin(
    proc: Path, group: str, tty: int, expected: ProcessOrigin
) -> None:
    """As with `systemd-run --user`; desktops start programs in scopes."""
    (add(proc, 30, tty=tty) / "cgroup").write_text(f"{group}\n")
    assert origin_of(30, None) is expected
