"""Disk errors as failures that say what to do."""

from scheduler.connections.safe_files import disk_failure
from scheduler.rules.failures import FailureClass


class WindowsError(PermissionError):
    """Has the code that errors have on Windows."""

    winerror = 32


def test_a_file_that_another_program_has_open_is_tried_again_later() -> None:
    failed = disk_failure(WindowsError(13, "in use"), "table.csv", perhaps_done=True)
    assert failed.failure.kind is FailureClass.TRANSIENT
    assert failed.failure.sentence == "table.csv is open in another program. Close it there first."
