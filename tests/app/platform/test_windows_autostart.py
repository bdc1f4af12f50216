"""Starting at login on Windows, against a fake registry; tests/packaging has Wine's."""

import pytest

from app.platform.windows_autostart import RunKey
from tests.app.platform.fake_winreg import Registry

RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
APPROVED = r"Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"
COMMAND = [r"C:\Users\Ann Lee\Dayhand\pythonw.exe", "-m", "app.main", "start", "--background"]
LINE = r'"C:\Users\Ann Lee\Dayhand\pythonw.exe" -m app.main start --background'


@pytest.fixture
def registry() -> Registry:
    return Registry()


@pytest.fixture
def entry(registry: Registry) -> RunKey:
    return RunKey(COMMAND, registry)


def test_it_can_be_turned_on_and_off(entry: RunKey, registry: Registry) -> None:
    entry.turn_off()
    assert not entry.is_on()
    entry.turn_on()
    assert entry.is_on()
    assert registry.keys[RUN] == {"Dayhand": LINE}
    entry.turn_off()
    assert not entry.is_on()
    assert registry.keys[RUN] == {}


@pytest.mark.parametrize(("first", "on"), [(2, True), (3, False), (6, True), (7, False)])
def test_the_choice_in_the_task_manager_counts(entry: RunKey, registry: Registry, first: int, *, on: bool) -> None:
    entry.turn_on()
    registry.keys[APPROVED] = {"Dayhand": bytes([first, *[0] * 11]), "Other": b"\3"}
    assert entry.is_on() is on
    entry.turn_on()
    assert entry.is_on()
    assert registry.keys[APPROVED] == {"Other": b"\3"}


@pytest.mark.parametrize("strange", [b"", "text", 3])
def test_unexpected_values_turn_nothing_off(entry: RunKey, registry: Registry, strange: object) -> None:
    entry.turn_on()
    registry.keys[APPROVED] = {"Dayhand": strange}
    assert entry.is_on()


def test_turning_it_off_removes_the_choice_in_the_task_manager(entry: RunKey, registry: Registry) -> None:
    registry.keys[APPROVED] = {"Dayhand": b"\3"}
    assert not entry.is_on()
    entry.turn_off()
    assert registry.keys[APPROVED] == {}


def test_a_read_only_registry_is_an_error(entry: RunKey, registry: Registry) -> None:
    entry.turn_on()
    registry.is_locked = True
    with pytest.raises(PermissionError):
        entry.turn_off()
    with pytest.raises(PermissionError):
        entry.turn_on()
    assert entry.is_on()


def test_a_command_too_long_for_windows_is_refused(registry: Registry) -> None:
    entry = RunKey([*COMMAND, "--data-dir", "C:\\" + 200 * "x"], registry)
    with pytest.raises(OSError, match="up to 260 characters"):
        entry.turn_on()
    assert not entry.is_on()
