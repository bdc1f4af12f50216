"""Builds are reproducible: the same commit gives the same files, so that anyone can verify theirs."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging

CLONE = Path(__file__).parents[2]
_LONGEST = 3_600


def build(clone: Path) -> None:
    """Build it in its own environment."""
    surroundings = {name: value for name, value in os.environ.items() if name != "DAYHAND_BUILD"}
    command = [str(clone / "packaging" / "build"), "all"]
    subprocess.run(command, check=True, capture_output=True, timeout=_LONGEST, env=surroundings)


def sums(clone: Path) -> set[str]:
    """A checksum line for each file to download."""
    return set((clone / ".build" / "out" / "SHA256SUMS").read_text().splitlines())


def contents(clone: Path) -> dict[str, str]:
    root = clone / ".build" / "deb"
    files = sorted(path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_second_build_in_another_folder_is_identical(tmp_path: Path) -> None:
    """Compares the contents first, since their differences are more helpful."""
    if not (CLONE / ".build" / "out" / "SHA256SUMS").exists() or not (CLONE / ".build" / "deb").is_dir():
        pytest.skip("there is no package; packaging/build makes it")
    subprocess.run(["git", "clone", "-q", str(CLONE), str(tmp_path / "again")], check=True)
    build(tmp_path / "again")
    first, second = contents(CLONE), contents(tmp_path / "again")
    assert {name for name in first | second if first.get(name) != second.get(name)} == set()
    assert sums(CLONE) - sums(tmp_path / "again") == set()
