"""Starting at login on Linux: real files, read and launched by the desktop's own library."""

import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.platform.autostart import Autostart, AutostartError, SystemAutostart
from app.platform.linux_autostart import DesktopEntry
from tests.desktop.processes import wait_until

COMMAND = [sys.executable, "--background"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {
        "HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "XDG_CONFIG_DIRS": f"{tmp_path / 'shared'}:{tmp_path / 'more'}",
    }


@pytest.fixture
def own(tmp_path: Path) -> Path:
    return tmp_path / "config/autostart/dayhand.desktop"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The system-wide entry of a package."""
    path = tmp_path / "more/autostart/dayhand.desktop"
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def entry(environment: dict[str, str]) -> Autostart:
    return SystemAutostart(DesktopEntry(COMMAND, environment))


def test_it_can_be_turned_on_and_off(entry: Autostart, own: Path) -> None:
    assert not entry.is_on()
    entry.turn_on()
    assert entry.is_on()
    entry.turn_off()
    assert not entry.is_on()
    assert not own.exists()


def test_turning_it_on_or_off_twice_changes_nothing(entry: Autostart, own: Path) -> None:
    entry.turn_off()
    entry.turn_on()
    text = own.read_text(encoding="utf-8")
    entry.turn_on()
    assert own.read_text(encoding="utf-8") == text
    assert [path.name for path in own.parent.iterdir()] == [own.name], "no temporary file remains"


def test_without_xdg_variables_the_default_folder_is_used(tmp_path: Path) -> None:
    entry = DesktopEntry(COMMAND, {"HOME": str(tmp_path)})
    entry.turn_on()
    assert (tmp_path / ".config/autostart/dayhand.desktop").is_file()


@pytest.mark.parametrize(
    ("line", "on"),
    [
        ("Hidden=true", False),
        ("Hidden = true", False),
        ("Hidden=false", True),
        ("#Hidden=true", True),
        ("X-GNOME-Autostart-enabled=false", False),
        ("X-GNOME-Autostart-enabled=true", True),
        ("[Another Group]\nHidden=true", True),
    ],
)
def test_changes_by_other_programs_count(entry: Autostart, own: Path, line: str, *, on: bool) -> None:
    """For example a desktop's settings page."""
    own.parent.mkdir(parents=True)
    own.write_text(f"[Desktop Entry]\nExec={sys.executable}\n{line}\n", encoding="utf-8")
    assert entry.is_on() is on


@pytest.mark.parametrize("name", ["program", "two words", 'say "yes" $HOME', "100%", "back\\slash"])
def test_an_entry_for_a_missing_program_is_off(environment: dict[str, str], tmp_path: Path, name: str) -> None:
    """The session silently skips it."""
    program = tmp_path / name
    entry = DesktopEntry([str(program), "--background"], environment)
    entry.turn_on()
    assert not entry.is_on()
    program.touch(0o755)
    assert entry.is_on()


def test_turning_it_on_overrides_changes_by_other_programs(entry: Autostart, own: Path) -> None:
    own.parent.mkdir(parents=True)
    own.write_text("[Desktop Entry]\nHidden=true\n", encoding="utf-8")
    entry.turn_on()
    assert entry.is_on()


def test_a_system_wide_entry_can_be_turned_off_by_the_user(entry: Autostart, own: Path, shared: Path) -> None:
    shared.write_text(f"[Desktop Entry]\nType=Application\nExec={sys.executable}\n", encoding="utf-8")
    assert entry.is_on()
    entry.turn_off()
    assert not entry.is_on()
    assert shared.exists()
    entry.turn_on()
    assert entry.is_on()
    assert own.exists()


def test_a_system_wide_entry_stays_off_if_the_user_turned_it_off(entry: Autostart, own: Path, shared: Path) -> None:
    entry.turn_on()
    shared.write_text("[Desktop Entry]\n", encoding="utf-8")
    entry.turn_off()
    assert "Hidden=true" in own.read_text(encoding="utf-8")


def test_a_binary_file_is_not_an_error(entry: Autostart, own: Path) -> None:
    own.parent.mkdir(parents=True)
    own.write_bytes(b"[Desktop Entry]\n=\n\xff\xfe\nExec=" + os.fsencode(sys.executable) + b"\n\n")
    assert entry.is_on() is True
    own.unlink()
    own.mkdir()
    assert entry.is_on() is False


def test_a_read_only_folder_gives_a_readable_error(entry: Autostart, tmp_path: Path, own: Path) -> None:
    (tmp_path / "config").write_text("in the way", encoding="utf-8")
    with pytest.raises(AutostartError, match=r"could not be turned on: .+\. Check that you may write to .+\."):
        entry.turn_on()
    assert not entry.is_on()


def test_an_entry_that_cannot_be_removed_gives_a_readable_error(entry: Autostart, own: Path) -> None:
    own.mkdir(parents=True)
    with pytest.raises(AutostartError, match="could not be turned off"):
        entry.turn_off()


def test_a_failed_write_leaves_the_old_entry_and_nothing_else(entry: Autostart, own: Path) -> None:
    own.mkdir(parents=True)
    with pytest.raises(AutostartError):
        entry.turn_on()
    assert list(own.parent.iterdir()) == [own]


@pytest.mark.parametrize(
    "argument",
    [
        "plain",
        "",
        "two words",
        "100%",
        "%f",
        "$HOME",
        "`id`",
        'say "yes"',
        "back\\slash",
        "a\\\\b",
        "semi;colon&pipe|",
        "it's",
        "Größe ✓",
        "~/x",
        "*?[]{}()<>#",
        "a\tb",
        "--data-dir=/tmp/with space",
    ],
)
def test_the_session_starts_exactly_the_given_command(
    tmp_path: Path, environment: dict[str, str], own: Path, argument: str
) -> None:
    """Started by the library that GNOME, Xfce and others use."""
    gio = shutil.which("gio")
    if gio is None:
        pytest.skip("gio is not installed")
    program, output = tmp_path / "the program", tmp_path / "said"
    program.write_text(
        f"#!{sys.executable}\nimport json, os, sys\n"
        f"open({str(output)!r} + '.new', 'w').write(json.dumps(sys.argv[1:]))\n"
        f"os.rename({str(output)!r} + '.new', {str(output)!r})\n",
        encoding="utf-8",
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    DesktopEntry([str(program), argument, "--background"], environment).turn_on()
    clean = {name: value for name, value in os.environ.items() if not name.startswith("DBUS")}
    subprocess.run([gio, "launch", str(own)], check=True, env=clean, timeout=60)
    wait_until(output.exists, "the program")
    assert json.loads(output.read_text(encoding="utf-8")) == [argument, "--background"]
