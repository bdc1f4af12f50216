"""Finding the machine's time zone."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QByteArray

from app.platform.zone import machine_zone


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    return tmp_path


def link(root: Path, target: str) -> None:
    (root / "etc/localtime").symlink_to(target)


def write(root: Path, text: str) -> None:
    (root / "etc/timezone").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "zone"),
    [
        ("Europe/Berlin", "Europe/Berlin"),
        (":Europe/Berlin", "Europe/Berlin"),
        ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
        (":/usr/share/zoneinfo/posix/Europe/Berlin", "Europe/Berlin"),
        ("UTC", "UTC"),
    ],
)
def test_the_tz_variable_takes_precedence(root: Path, value: str, zone: str) -> None:
    link(root, "/usr/share/zoneinfo/Asia/Tokyo")
    assert machine_zone({"TZ": value}, root) == zone


@pytest.mark.parametrize("value", ["", ":", "CET-1CEST,M3.5.0,M10.5.0/3", "Atlantis", "../../etc/passwd", "Europe"])
def test_an_invalid_tz_variable_is_ignored(root: Path, value: str) -> None:
    link(root, "/usr/share/zoneinfo/Asia/Tokyo")
    assert machine_zone({"TZ": value}, root) == "Asia/Tokyo"


@pytest.mark.parametrize(
    "target",
    [
        "/usr/share/zoneinfo/America/Argentina/Buenos_Aires",
        "../usr/share/zoneinfo/America/Argentina/Buenos_Aires",
        "/var/db/timezone/zoneinfo/America/Argentina/Buenos_Aires",
        "/usr/share/zoneinfo/right/America/Argentina/Buenos_Aires",
    ],
)
def test_the_link_names_the_zone(root: Path, target: str) -> None:
    link(root, target)
    write(root, "Europe/Berlin\n")
    assert machine_zone({}, root) == "America/Argentina/Buenos_Aires"


def test_a_link_to_a_link_is_followed(root: Path) -> None:
    link(root, "elsewhere")
    (root / "etc/elsewhere").symlink_to("/usr/share/zoneinfo/Asia/Tokyo")
    assert machine_zone({}, root) == "Asia/Tokyo"


def test_circular_links_end(root: Path) -> None:
    link(root, "localtime")
    assert machine_zone({}, root) == "UTC"


def test_a_copied_localtime_falls_back_to_etc_timezone(root: Path) -> None:
    (root / "etc/localtime").write_bytes(b"TZif2")
    write(root, "Europe/Berlin\n")
    assert machine_zone({}, root) == "Europe/Berlin"


@pytest.mark.parametrize("text", ["", "\n", "Atlantis\n", "\u00fc\n"])
def test_an_unknown_zone_is_utc(root: Path, text: str) -> None:
    assert machine_zone({}, root) == "UTC"
    write(root, text)
    assert machine_zone({}, root) == "UTC"


def test_on_windows_qt_gives_the_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_zone = SimpleNamespace(systemTimeZoneId=lambda: QByteArray(b"Europe/Berlin"))
    monkeypatch.setattr("PySide6.QtCore.QTimeZone", fake_zone)
    assert machine_zone({}, tmp_path, "win32") == "Europe/Berlin"
    assert machine_zone({"TZ": "Asia/Tokyo"}, tmp_path, "win32") == "Asia/Tokyo"
    monkeypatch.setitem(sys.modules, "PySide6.QtCore", None)
    assert machine_zone({}, tmp_path, "win32") == "UTC", "where Qt cannot be loaded"
