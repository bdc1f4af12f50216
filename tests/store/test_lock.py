"""One engine per data folder."""

import signal
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


def test_a_second_holder_is_refused_with_the_folder_named(tmp_path: Path) -> None:
    """I4"""
    with hold(tmp_path), pytest.raises(FolderInUseError, match=str(tmp_path)), hold(tmp_path):
        pass


def test_it_is_free_again_after_use(tmp_path: Path) -> None:
    with hold(tmp_path):
        pass
    with hold(tmp_path):
        pass


def test_another_process_is_kept_out_until_it_dies(tmp_path: Path) -> None:
    """The lock dies with its holder, however that ends."""
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    assert other.stdout.readline() == "held\n"
    with pytest.raises(FolderInUseError), hold(tmp_path):
        pass
    other.send_signal(signal.SIGKILL)
    other.communicate()
    with hold(tmp_path):
        pass


def test_the_lock_file_is_private(tmp_path: Path) -> None:
    with hold(tmp_path / "new"):
        assert (tmp_path / "new" / "dayhand.lock").stat().st_mode & 0o777 == 0o600
