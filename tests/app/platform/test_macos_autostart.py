"""Starting at login on macOS: real files in a temporary home, and a fake launchctl."""

import os
import plistlib
from pathlib import Path

import pytest

from app.platform.macos_autostart import LaunchAgent

COMMAND = ["/Applications/Dayhand.app/Contents/MacOS/dayhand", "start", "--background", "--data-dir", "/a b/ü"]
LABEL = "io.github.dayhand.Dayhand"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / f"Library/LaunchAgents/{LABEL}.plist"


@pytest.fixture
def overrides(tmp_path: Path) -> Path:
    """What launchd remembers."""
    path = tmp_path / "overrides"
    path.touch()
    return path


@pytest.fixture
def agent(tmp_path: Path, overrides: Path) -> LaunchAgent:
    launchctl = tmp_path / "launchctl"
    launchctl.write_text(
        "#!/bin/sh\n"
        f'case "$1 $2" in\n"print-disabled gui/{os.getuid()}") cat "{overrides}" ;;\n'
        f'"enable gui/{os.getuid()}/{LABEL}") : >"{overrides}" ;;\n*) exit 64 ;;\nesac\n',
        encoding="utf-8",
    )
    launchctl.chmod(0o755)
    return LaunchAgent(COMMAND, tmp_path, str(launchctl))


def test_it_can_be_turned_on_and_off(agent: LaunchAgent, file: Path) -> None:
    agent.turn_off()
    assert not agent.is_on()
    agent.turn_on()
    assert agent.is_on()
    assert [path.name for path in file.parent.iterdir()] == [file.name], "no temporary file remains"
    agent.turn_off()
    assert not agent.is_on()
    assert not file.exists()


def test_the_agent_starts_in_the_session_of_the_user(agent: LaunchAgent, file: Path) -> None:
    agent.turn_on()
    plist = plistlib.loads(file.read_bytes())
    assert (plist["Label"], plist["ProgramArguments"], plist["RunAtLoad"]) == (LABEL, COMMAND, True)
    assert plist["LimitLoadToSessionType"] == "Aqua"
    assert "KeepAlive" not in plist, "a quit app must not be restarted"


@pytest.mark.parametrize("word", ["disabled", "true"])
def test_an_agent_disabled_elsewhere_is_off_until_turned_on_here(
    agent: LaunchAgent, overrides: Path, word: str
) -> None:
    agent.turn_on()
    overrides.write_text(f'disabled services = {{\n\t\t"com.example" => {word}\n\t}}\n', encoding="utf-8")
    assert agent.is_on()
    overrides.write_text(f'disabled services = {{\n\t\t"{LABEL}" => {word}\n\t}}\n', encoding="utf-8")
    assert not agent.is_on()
    agent.turn_on()
    assert agent.is_on()


@pytest.mark.parametrize("word", ["enabled", "false"])
def test_an_agent_enabled_in_launchd_is_on(agent: LaunchAgent, overrides: Path, word: str) -> None:
    agent.turn_on()
    overrides.write_text(f'\t"{LABEL}" => {word}\n', encoding="utf-8")
    assert agent.is_on()


@pytest.mark.parametrize(("values", "on"), [({"RunAtLoad": False}, False), ({"Disabled": True}, False), ({}, True)])
def test_changes_by_other_programs_count(agent: LaunchAgent, file: Path, values: dict[str, bool], *, on: bool) -> None:
    agent.turn_on()
    file.write_bytes(plistlib.dumps(plistlib.loads(file.read_bytes()) | values, fmt=plistlib.FMT_BINARY))
    assert agent.is_on() is on


@pytest.mark.parametrize("content", [b"", b"<plist>", b"\xff\xfe", plistlib.dumps(["no", "entry"])])
def test_an_invalid_file_is_off_and_not_an_error(agent: LaunchAgent, file: Path, content: bytes) -> None:
    agent.turn_on()
    file.write_bytes(content)
    assert not agent.is_on()
    agent.turn_on()
    assert agent.is_on()


def test_without_launchctl_the_file_decides(tmp_path: Path) -> None:
    agent = LaunchAgent(COMMAND, tmp_path, str(tmp_path / "missing"))
    agent.turn_on()
    assert agent.is_on()


def test_a_folder_that_cannot_be_created_is_an_error(agent: LaunchAgent, tmp_path: Path) -> None:
    (tmp_path / "Library").touch()
    with pytest.raises(OSError, match="Library"):
        agent.turn_on()
    assert not agent.is_on()
