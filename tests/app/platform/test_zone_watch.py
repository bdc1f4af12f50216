"""A change of the machine's time zone is noticed: real files, written as real tools do."""

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
    set_zone(folder, "Europe/Berlin")
    return folder


def set_zone(etc: Path, zone: str) -> None:
    """As timedatectl does it: a new link beside the old one, then renamed over it."""
    fresh = etc / "localtime.new"
    fresh.symlink_to(f"../usr/share/zoneinfo/{zone}")
    fresh.rename(etc / "localtime")


def watch(etc: Path, environment: dict[str, str] | None = None) -> tuple[ZoneWatch, list[str]]:
    made, emitted = ZoneWatch(environment or {}, etc.parent), []
    made.changed.connect(emitted.append)
    return made, emitted


def test_each_change_is_emitted_once(qtbot: QtBot, etc: Path) -> None:
    made, emitted = watch(etc)
    for zone in ("Asia/Tokyo", "America/New_York", "Europe/Berlin"):
        with qtbot.waitSignal(made.changed, timeout=LIMIT):
            set_zone(etc, zone)
    made.check()
    assert emitted == ["Asia/Tokyo", "America/New_York", "Europe/Berlin"]


def test_replacing_the_link_ends_in_the_new_zone(qtbot: QtBot, etc: Path) -> None:
    """As `ln -sf` does it; for a moment there is no zone at all."""
    made, emitted = watch(etc)
    (etc / "localtime").unlink()
    (etc / "localtime").symlink_to("/usr/share/zoneinfo/Asia/Tokyo")
    qtbot.waitUntil(lambda: emitted[-1:] == ["Asia/Tokyo"], timeout=LIMIT)
    assert made is not None


def test_changes_of_etc_timezone_are_followed(qtbot: QtBot, etc: Path) -> None:
    """Where /etc/localtime is a copy, only /etc/timezone has the name; it is written in place, repeatedly."""
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


def test_other_changes_of_the_folder_are_ignored(qtbot: QtBot, etc: Path) -> None:
    made, emitted = watch(etc)
    (etc / "resolv.conf").write_text("nameserver 127.0.0.1\n", encoding="ascii")
    with qtbot.waitSignal(made._watcher.directoryChanged, timeout=LIMIT):
        (etc / "hosts").write_text("", encoding="ascii")
    assert emitted == []


def test_a_zone_in_the_environment_does_not_change(qtbot: QtBot, etc: Path) -> None:
    made, emitted = watch(etc, {"TZ": "Europe/Oslo"})
    with qtbot.waitSignal(made._watcher.directoryChanged, timeout=LIMIT):
        set_zone(etc, "Asia/Tokyo")
    assert emitted == []


def test_without_etc_the_zone_does_not_change(qtbot: QtBot, etc: Path, tmp_path: Path) -> None:
    shutil.rmtree(etc)
    made, emitted = watch(etc)
    made.check()
    assert emitted == []


def test_a_check_finds_unwatched_changes(qtbot: QtBot, tmp_path: Path) -> None:
    """For example after a long sleep."""
    made, emitted = watch(tmp_path / "etc")
    (tmp_path / "etc").mkdir()
    set_zone(tmp_path / "etc", "Asia/Tokyo")
    made.check()
    assert emitted == ["Asia/Tokyo"]
