"""The switch for starting at login: which entry it uses, and its error messages."""

import sys
from pathlib import Path

import pytest

from app.platform.autostart import AutostartError, NoAutostart, SystemAutostart, find_autostart
from tests.app.platform.fake_winreg import Registry

COMMAND = [sys.executable, "--background"]


class FailingEntry:
    location = "the registry"

    def is_on(self) -> bool:
        return True

    def turn_on(self) -> None:
        raise PermissionError(13, "Access is denied")

    turn_off = turn_on


def test_an_error_names_its_reason_and_location() -> None:
    switch = SystemAutostart(FailingEntry())
    with pytest.raises(
        AutostartError, match=r"^Starting at login could not be turned on: Access is denied\. .+ registry\.$"
    ):
        switch.turn_on()
    with pytest.raises(AutostartError, match="could not be turned off: Access is denied"):
        switch.turn_off()
    assert switch.is_on()


@pytest.mark.parametrize(
    ("platform", "written"),
    [
        ("linux", ".config/autostart/dayhand.desktop"),
        ("darwin", "Library/LaunchAgents/io.github.dayhand.Dayhand.plist"),
    ],
)
def test_each_system_has_its_own_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, written: str
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    switch = find_autostart(COMMAND, platform)
    switch.turn_on()
    assert (tmp_path / written).is_file()
    assert switch.is_on()
    switch.turn_off()
    assert not switch.is_on()


def test_windows_uses_the_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "winreg", Registry())  # type: ignore[arg-type]
    switch = find_autostart(COMMAND, "win32")
    switch.turn_on()
    assert switch.is_on()


def test_other_systems_say_that_they_are_not_supported() -> None:
    nothing = find_autostart(COMMAND, "sunos5")
    assert isinstance(nothing, NoAutostart)
    nothing.turn_off()
    assert not nothing.is_on()
    with pytest.raises(AutostartError, match="Add it to the programs that start at login"):
        nothing.turn_on()
