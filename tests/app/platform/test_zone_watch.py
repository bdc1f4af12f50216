"""Moving the machine to another zone is noticed: real files, in the ways that real tools write them."""

import shutil
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.platform.zone_watch import ZoneWatch

LIMIT = 60_000


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    folder = tmp_path / "etc"
    folder.mkdir()
    move(folder, "Europe/Berlin")
    return folder


def move(etc: Path, zone: str) -> None:
    """As timedatectl does it: a new link beside the old one, then renamed over it."""
    fresh = etc / "localtime.new"
    fresh.symlink_to(f"../usr/share/zoneinfo/{zone}")
    fresh.rename(etc / "localtime")


def watch(etc: Path, environment: dict[str, str] | None = None) -> tuple[ZoneWatch, list[str]]:
    made, said = ZoneWatch(environment or {}, etc.parent), []
    made.changed.connect(said.append)
    return made, said


def test_each_move_is_said_once(qtbot: QtBot, etc: Path) -> None:
    made, said = watch(etc)
    for zone in ("Asia/Tokyo", "America/New_York", "Europe/Berlin"):
        with qtbot.waitSignal(made.changed, timeout=LIMIT):
            move(etc, zone)
    made.look()
    assert said == ["Asia/Tokyo", "America/New_York", "Europe/Berlin"]


def test_removing_and_linking_anew_ends_in_the_new_zone(qtbot: QtBot, etc: Path) -> None:
    """As `ln -sf` does it; for a moment there is no zone at all."""
    made, said = watch(etc)
    (etc / "localtime").unlink()
    (etc / "localtime").symlink_to("/usr/share/zoneinfo/Asia/Tokyo")
    qtbot.waitUntil(lambda: said[-1:] == ["Asia/Tokyo"], timeout=LIMIT)
    assert made is not None


def test_a_name_written_into_its_file_is_followed(qtbot: QtBot, etc: Path) -> None:
    """Where /etc/localtime is a copy, only /etc/timezone has the name; it is written in place, again and again."""
    (etc / "localtime").unlink()
    (etc / "timezone").write_text("Europe/Berlin\n", encoding="ascii")
    made, _ = watch(etc)
    for zone in ("Asia/Tokyo", "Europe/Paris"):
        with qtbot.waitSignal(made.changed, timeout=LIMIT):
            (etc / "timezone").write_text(f"{zone}\n", encoding="ascii")
    with qtbot.waitSignal(made.changed, timeout=LIMIT):
        fresh = etc / "timezone.new"
        fresh.write_text("Asia/Tokyo\n", encoding="ascii")
        fresh.rename(etc / "timezone")
    with qtbot.waitSignal(made.changed, timeout=LIMIT):
        (etc / "timezone").write_text("Europe/Oslo\n", encoding="ascii")


def test_other_changes_of_the_folder_are_not_said(qtbot: QtBot, etc: Path) -> None:
    made, said = watch(etc)
    (etc / "resolv.conf").write_text("nameserver 127.0.0.1\n", encoding="ascii")
    with qtbot.waitSignal(made._watcher.directoryChanged, timeout=LIMIT):
        (etc / "hosts").write_text("", encoding="ascii")
    assert said == []


def test_a_zone_in_the_environment_does_not_move(qtbot: QtBot, etc: Path) -> None:
    made, said = watch(etc, {"TZ": "Europe/Oslo"})
    with qtbot.waitSignal(made._watcher.directoryChanged, timeout=LIMIT):
        move(etc, "Asia/Tokyo")
    assert said == []


def test_a_machine_without_that_folder_has_a_zone_that_stays(qtbot: QtBot, etc: Path, tmp_path: Path) -> None:
    shutil.rmtree(etc)
    made, said = watch(etc)
    made.look()
    assert said == []


def test_a_look_finds_what_no_watch_could_tell(qtbot: QtBot, tmp_path: Path) -> None:
    """After a long sleep the first look counts, whatever was delivered meanwhile."""
    made, said = watch(tmp_path / "etc")
    (tmp_path / "etc").mkdir()
    move(tmp_path / "etc", "Asia/Tokyo")
    made.look()
    assert said == ["Asia/Tokyo"]
