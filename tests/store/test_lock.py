"""One engine per data folder."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scheduler.store.lock import FolderInUseError, hold

HOLD = """
import sys, pathlib
from scheduler.store.lock import hold
with hold(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_second_holder_is_refused_and_the_error_names_the_folder(tmp_path: Path) -> None:
    with hold(tmp_path), pytest.raises(FolderInUseError, match=re.escape(str(tmp_path))), hold(tmp_path):
        pass


def test_the_lock_is_released_after_use(tmp_path: Path) -> None:
    with hold(tmp_path):
        pass
    with hold(tmp_path):
        pass


def test_the_lock_of_another_process_holds_until_it_dies(tmp_path: Path) -> None:
    """Even if it is killed."""
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    with pytest.raises(FolderInUseError), hold(tmp_path):
        pass
    other.kill()
    other.communicate()
    with hold(tmp_path):
        pass


@pytest.mark.posix("Windows has no file modes")
def test_the_lock_file_is_private(tmp_path: Path) -> None:
    with hold(tmp_path / "new"):
        assert (tmp_path / "new" / "dayhand.lock").stat().st_mode & 0o777 == 0o600
