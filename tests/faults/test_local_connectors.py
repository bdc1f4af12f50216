"""Files and tables on a disk that is really full, really read-only, or different from that of the target."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.files.file_tools import refused, use
from tests.connections.connectors.table.table_tools import append, check, read
from tests.faults.small_disk import SmallDisk

LARGE = "x" * 20_000

ACTS: dict[str, Callable[[Path], Any]] = {
    "write a new file": lambda here: use(here, "write", path="new/a", text=LARGE),
    "write over a file": lambda here: use(here, "write", path="old", text=LARGE, overwrite=True),
    "rows in a new csv": lambda here: append(here / "new.csv", [{"a": LARGE}]),
    "rows in a csv": lambda here: append(here / "old.csv", [{"a": LARGE}]),
    "a column in a csv": lambda here: append(here / "old.csv", [{"b": LARGE}]),
    "rows in a database": lambda here: append(here / "old.sqlite", [{"a": LARGE}]),
}
SMALL_ACTS: dict[str, Callable[[Path], Any]] = {
    "move a file": lambda here: use(here, "move", source="old", target="new"),
    "delete a file": lambda here: use(here, "delete", path="old"),
    "delete a folder": lambda here: use(here, "delete", path="empty"),
}


@pytest.fixture
def here(small_disk: SmallDisk) -> Path:
    (small_disk.path / "old").write_text("old")
    (small_disk.path / "empty").mkdir()
    append(small_disk.path / "old.csv", [{"a": 1}], "first")
    append(small_disk.path / "old.sqlite", [{"a": 1}], "first")
    return small_disk.path


def visible(here: Path) -> dict[str, bytes | None]:
    """The user's own files."""
    return {
        place.relative_to(here).as_posix(): None if place.is_dir() else place.read_bytes()
        for place in here.rglob("*")
        if not place.name.endswith(("-lock", "-ledger")) and place.name != "filler"
    }


def fails(act: Callable[[Path], Any], here: Path) -> FailureClass:
    with pytest.raises(ToolFailedError) as error:
        act(here)
    return error.value.failure.kind


@pytest.mark.parametrize("name", ACTS)
def test_on_a_full_disk_nothing_happens_until_there_is_room(small_disk: SmallDisk, here: Path, name: str) -> None:
    before = visible(here)
    small_disk.fill()
    assert fails(ACTS[name], here) is FailureClass.TRANSIENT
    assert visible(here) == before
    small_disk.make_room()
    ACTS[name](here)
    assert visible(here) != before
    if "csv" in name or "database" in name:
        path = here / ("new.csv" if "new" in name else "old.csv" if "csv" in name else "old.sqlite")
        assert check(path).happened
        assert sum(LARGE in row.values() for row in read(path)) == 1


@pytest.mark.parametrize("name", SMALL_ACTS)
def test_files_on_a_full_disk_can_still_be_moved_and_deleted(small_disk: SmallDisk, here: Path, name: str) -> None:
    small_disk.fill()
    SMALL_ACTS[name](here)


@pytest.mark.parametrize("name", [*ACTS, *SMALL_ACTS])
def test_a_read_only_disk_is_a_permission_failure(small_disk: SmallDisk, here: Path, name: str) -> None:
    before = visible(here)
    small_disk.forbid_writing()
    assert fails({**ACTS, **SMALL_ACTS}[name], here) is FailureClass.PERMISSION
    assert visible(here) == before


def test_a_file_is_not_moved_to_another_disk(small_disk: SmallDisk, here: Path, tmp_path: Path) -> None:
    """The disk is a folder of the connection: the file would have to be copied, which is not atomic."""
    sentence = refused(tmp_path, FailureClass.LOGIC, "move", source=f"{small_disk.path.name}/old", target="made/new")
    assert "another disk" in sentence
    assert (here / "old").read_text() == "old"
    assert not (tmp_path / "made").exists()
