"""Whose a process is, by what Linux says of it. The files stand in for systems that a test cannot have."""

from pathlib import Path

import pytest

from scheduler.workers import origin, processes
from scheduler.workers.origin import Origin, origin_of

SESSION = "0::/user.slice/user-1000.slice/session-2.scope"
MANAGER = "0::/user.slice/user-1000.slice/user@1000.service/app.slice"


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(processes, "_PROC", str(tmp_path))
    monkeypatch.setattr(origin, "CAN_TELL", True)
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


def test_a_command_in_a_terminal_is_the_users(proc: Path) -> None:
    add(proc, 1, name="systemd")
    add(proc, 20, 1, name="bash", tty=34816)
    add(proc, 30, 20, name="dayhand) S 1 (", tty=34816)
    assert origin_of(30, None) is Origin.USER


def test_an_administrators_limit_is_no_mark(proc: Path) -> None:
    add(proc, 30, limit="1000")
    assert origin_of(30, None) is Origin.USER


def test_one_who_got_rid_of_the_mark_is_known_by_its_parent(proc: Path) -> None:
    """`sudo -u me` sets limits anew."""
    add(proc, 20, limit="0")
    add(proc, 30, 20)
    assert origin_of(30, None) is Origin.SCRIPT


@pytest.mark.parametrize("missing", ["stat", "limits"])
def test_what_cannot_be_seen_is_unknown(proc: Path, missing: str) -> None:
    (add(proc, 30) / missing).unlink()
    assert origin_of(30, None) is Origin.UNKNOWN


def test_a_dead_one_is_unknown(proc: Path) -> None:
    stat = add(proc, 30) / "stat"
    stat.write_text(stat.read_text().replace(" S ", " Z "))
    assert origin_of(30, None) is Origin.UNKNOWN


@pytest.mark.parametrize("name", ["atd", "cron", "crond", "dbus-daemon"])
def test_what_another_program_starts_for_anybody_is_unknown(proc: Path, name: str) -> None:
    add(proc, 10, name=name)
    add(proc, 20, 10)
    add(proc, 30, 20)
    assert origin_of(30, None) is Origin.UNKNOWN


@pytest.mark.parametrize(
    ("group", "tty", "expected"),
    [
        (f"{MANAGER}/run-r1.service", 0, Origin.UNKNOWN),
        (f"1:name=systemd:{MANAGER[3:]}/run-r1.service", 0, Origin.UNKNOWN),
        (f"{MANAGER}/gnome-terminal-server.service", 34816, Origin.USER),
        (f"{MANAGER}/app-gnome-code-12.scope", 0, Origin.USER),
        ("0::/system.slice/runner.service", 0, Origin.USER),
        ("0::/", 0, Origin.USER),
    ],
)
def test_the_users_service_manager_starts_for_anybody(proc: Path, group: str, tty: int, expected: Origin) -> None:
    """As `systemd-run --user` asks it; a desktop starts programs in scopes."""
    (add(proc, 30, tty=tty) / "cgroup").write_text(f"{group}\n")
    assert origin_of(30, None) is expected
