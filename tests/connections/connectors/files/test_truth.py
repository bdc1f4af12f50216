"""A disk error at any step: "failed" changed nothing, "applied" is durable, and the checker knows the rest."""

import errno
import itertools
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.rules.failures import FailureClass
from tests.connections.connectors.files.file_tools import check, identify, refused, use_on
from tests.connections.connectors.files.truth_table import ACTIONS, APPLIED, FAILED, UNSURE, Action, snapshot
from tests.connections.faulty_disk import Disk, Fault

DEFINITE = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.EXDEV)
BROKEN = (errno.EIO, errno.ESTALE, errno.ETIMEDOUT)
OFFERS = {"any disk": True, "a plain disk": False}


def cells() -> list[Any]:
    return [
        pytest.param(action, offers, number, expected, codes, id=f"{name}, {disk}, {number} {step}, {how}")
        for (name, action), (disk, offers) in itertools.product(ACTIONS.items(), OFFERS.items())
        for number, (step, definite, broken) in enumerate(steps_of(action, offers=offers))
        for how, expected, codes in (("refused", definite, DEFINITE), ("broken", broken, BROKEN))
    ]


def steps_of(action: Action, *, offers: bool) -> tuple[tuple[str, str, str], ...]:
    return action.steps if offers or action.plain_steps is None else action.plain_steps


def folders(tmp_path: Path, action: Action) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """A folder to act in, and its expected content before and after."""
    after = tmp_path / "after"
    after.mkdir()
    action.prepare(after)
    action.perform(after)
    here = tmp_path / "here"
    here.mkdir()
    action.prepare(here)
    return here, snapshot(here), snapshot(after)


def run(here: Path, action: Action, disk: Disk) -> tuple[str, Any]:
    """The outcome of the tool, and the approved target."""
    approved = identify(here, action.tool, **action.parameters)
    try:
        with disk.inserted():
            use_on(approved, here, action.tool, **action.parameters)
    except ToolFailedError as error:
        return (UNSURE if error.failure.kind is FailureClass.UNSURE else FAILED), approved
    return APPLIED, approved


@pytest.mark.parametrize("offers", OFFERS.values(), ids=OFFERS)
@pytest.mark.parametrize("name", ACTIONS)
def test_the_table_has_every_step(tmp_path: Path, name: str, *, offers: bool) -> None:
    here, _, after = folders(tmp_path, ACTIONS[name])
    disk = Disk(offers_exchange=offers)
    assert run(here, ACTIONS[name], disk)[0] == APPLIED
    assert disk.steps == [step for step, _, _ in steps_of(ACTIONS[name], offers=offers)]
    assert snapshot(here) == after


@pytest.mark.parametrize(("action", "offers", "number", "expected", "codes"), cells())
def test_the_outcome_of_a_failed_step(
    tmp_path: Path, action: Action, number: int, expected: str, codes: tuple[int, ...], *, offers: bool
) -> None:
    for code in codes:
        root = tmp_path / str(code)
        root.mkdir()
        here, before, after = folders(root, action)
        outcome, approved = run(here, action, Disk(Fault(number, code), offers_exchange=offers))
        assert outcome == expected, errno.errorcode[code]
        if outcome == UNSURE:
            verify_checker(here, action, approved, before, after)
        else:
            assert snapshot(here) == (before if outcome == FAILED else after)


@pytest.mark.parametrize(
    ("action", "offers", "number", "expected", "codes"), [cell for cell in cells() if UNSURE in cell.values]
)
def test_a_step_that_was_done_although_the_disk_reported_an_error(
    tmp_path: Path, action: Action, number: int, expected: str, codes: tuple[int, ...], *, offers: bool
) -> None:
    here, before, after = folders(tmp_path, action)
    outcome, approved = run(here, action, Disk(Fault(number, codes[0], "after"), offers_exchange=offers))
    assert outcome == expected
    verify_checker(here, action, approved, before, after)


def verify_checker(here: Path, action: Action, approved: Any, before: dict[str, Any], after: dict[str, Any]) -> None:
    """The checker knows the truth, and no temporary file is left."""
    happened = check(here, action.tool, approved, **action.parameters).happened
    if happened:
        assert snapshot(here) == after
    else:
        assert snapshot(here, folders=False) == {name: what for name, what in before.items() if what != "a folder"}


@pytest.mark.parametrize("name", ACTIONS)
def test_a_process_killed_at_each_step(tmp_path: Path, name: str) -> None:
    """The name never has partial content, and the checker knows, except where nothing existed and nothing was begun."""
    command = [sys.executable, "-m", "tests.connections.connectors.files.kill_steps", str(tmp_path), name]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def create_file(place: Path) -> None:
    place.write_text("another")


def create_link(place: Path) -> None:
    place.with_name("elsewhere").write_text("another")
    place.symlink_to("elsewhere")


def create_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(place))


def create_device(place: Path) -> None:
    try:
        os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root can create a device")


REPLACEMENTS = {
    "nothing": lambda _: None,
    "a file": create_file,
    "a link": create_link,
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a socket": create_socket,
    "a device": create_device,
}


SAME_AS_BEFORE = {("write a new file", "nothing"), ("delete a folder", "a folder")}
"""Not a change: all empty folders are equal."""


@pytest.mark.parametrize(
    ("name", "replacement"),
    [
        one
        for one in itertools.product(ACTIONS, REPLACEMENTS)
        if one not in SAME_AS_BEFORE and one[0] != "write what is there already"
    ],
)
def test_a_target_that_was_replaced_is_not_changed(tmp_path: Path, name: str, replacement: str) -> None:
    """Nothing is done, and the next attempt identifies the new object."""
    action = ACTIONS[name]
    here = tmp_path / "here"
    here.mkdir()
    action.prepare(here)
    last_move = action.parameters.get("moves", [action.parameters])[-1]
    place = here / (last_move.get("path") or last_move["source"])
    approved = identify(here, action.tool, **action.parameters)
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rename(tmp_path / "away")  # keeps its inode in use
    REPLACEMENTS[replacement](place)
    before = lstat_all(here)
    with pytest.raises(ToolFailedError, match="nothing was done") as error:
        use_on(approved, here, action.tool, **action.parameters)
    assert error.value.failure.kind is FailureClass.TRANSIENT
    assert lstat_all(here) == before


def lstat_all(here: Path) -> dict[str, Any]:
    return {
        place.name: (place.lstat().st_ino, place.lstat().st_mode, place.lstat().st_size) for place in here.rglob("*")
    }


LONG = "n" * 300
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("write", {"path": "folder", "text": "x", "overwrite": True}, "is a folder"),
    ("write", {"path": "pipe", "text": "x", "overwrite": True}, "is not a file"),
    ("write", {"path": "file", "text": "x"}, "already exists"),
    ("write", {"path": "file/below", "text": "x"}, "is inside something that is not a folder"),
    ("write", {"path": LONG, "text": "x"}, "has a name that is too long"),
    ("write", {"path": "loop/a", "text": "x"}, "cannot be resolved"),
    ("write", {"path": "loop", "text": "x"}, "cannot be resolved"),
    ("move", {"source": "file", "target": "folder"}, "already exists"),
    ("move", {"source": "file", "target": "file"}, "already exists"),
    ("move", {"source": "file", "target": LONG}, "has a name that is too long"),
    ("move", {"source": "file", "target": "file/below"}, "is inside something that is not a folder"),
    ("move", {"source": "folder", "target": "folder/below"}, "cannot be put there"),
    ("move", {"source": "gone", "target": "b"}, "does not exist"),
    ("move", {"source": "loop/a", "target": "b"}, "cannot be resolved"),
    ("move_many", {"moves": []}, "must have between 1 and 100 entries"),
    ("move_many", {"moves": [{"source": "file"}]}, "needs a source and a target"),
    ("move_many", {"moves": [{"source": "file", "target": 1}]}, "needs a source and a target"),
    ("move_many", {"moves": [{"source": "folder", "target": "b"}]}, "is not a file"),
    ("move_many", {"moves": [{"source": "pipe", "target": "b"}]}, "is not a file"),
    ("move_many", {"moves": [{"source": "file", "target": "../b"}]}, "is not a path inside"),
    ("move_many", {"moves": [{"source": "file", "target": LONG}]}, "has a name that is too long"),
    ("move_many", {"moves": [{"source": "file", "target": "b"}, {"source": "file", "target": "c"}]}, "given twice"),
    ("move_many", {"moves": [{"source": "file", "target": "b"}, {"source": "other", "target": "b"}]}, "given twice"),
    ("delete", {"path": "full"}, "is a folder that is not empty"),
    ("delete", {"path": "gone"}, "does not exist"),
    ("delete", {"path": "file/below"}, "is inside something that is not a folder"),
    ("delete", {"path": LONG}, "has a name that is too long"),
]


@pytest.mark.parametrize(("tool", "parameters", "expected"), REFUSED)
def test_a_refused_action_changes_nothing(tmp_path: Path, tool: str, parameters: dict[str, Any], expected: str) -> None:
    (tmp_path / "full").mkdir()
    for place in (tmp_path / "file", tmp_path / "full/a"):
        place.write_text("x!")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    before = lstat_all(tmp_path)
    assert expected in refused(tmp_path, FailureClass.LOGIC, tool, **parameters)
    assert lstat_all(tmp_path) == before
