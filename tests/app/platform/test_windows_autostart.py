"""Starting at login on Windows, against a small registry; tests/packaging has Wine's."""

import pytest

from app.platform.run_key import RunKey
from tests.app.platform.registry import Registry

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


def test_it_is_off_until_it_is_turned_on_and_after_it_is_turned_off(entry: RunKey, registry: Registry) -> None:
    entry.turn_off()
    assert not entry.is_on()
    entry.turn_on()
    assert entry.is_on()
    assert registry.keys[RUN] == {"Dayhand": LINE}
    entry.turn_off()
    assert not entry.is_on()
    assert registry.keys[RUN] == {}


@pytest.mark.parametrize(("first", "on"), [(2, True), (3, False), (6, True), (7, False)])
def test_what_the_person_chose_in_the_task_manager_counts(
    entry: RunKey, registry: Registry, first: int, *, on: bool
) -> None:
    entry.turn_on()
    registry.keys[APPROVED] = {"Dayhand": bytes([first, *[0] * 11]), "Other": b"\3"}
    assert entry.is_on() is on
    entry.turn_on()
    assert entry.is_on()
    assert registry.keys[APPROVED] == {"Other": b"\3"}


@pytest.mark.parametrize("strange", [b"", "text", 3])
def test_what_windows_never_writes_there_turns_nothing_off(entry: RunKey, registry: Registry, strange: object) -> None:
    entry.turn_on()
    registry.keys[APPROVED] = {"Dayhand": strange}
    assert entry.is_on()


def test_a_choice_for_a_program_that_does_not_start_is_not_left_behind(entry: RunKey, registry: Registry) -> None:
    registry.keys[APPROVED] = {"Dayhand": b"\3"}
    assert not entry.is_on()
    entry.turn_off()
    assert registry.keys[APPROVED] == {}


def test_a_registry_that_may_not_be_written_is_an_error(entry: RunKey, registry: Registry) -> None:
    entry.turn_on()
    registry.is_locked = True
    with pytest.raises(PermissionError):
        entry.turn_off()
    with pytest.raises(PermissionError):
        entry.turn_on()
    assert entry.is_on()


def test_a_command_that_windows_would_not_start_is_refused(registry: Registry) -> None:
    entry = RunKey([*COMMAND, "--data-dir", "C:\\" + 200 * "x"], registry)
    with pytest.raises(OSError, match="up to 260 characters"):
        entry.turn_on()
    assert not entry.is_on()
