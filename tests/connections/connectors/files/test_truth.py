"""Whatever fails at whatever step: "failed" left all as it was, "applied" lasts, and the checker knows the rest."""

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
from tests.connections.connectors.files.folders import check, identify, refused, use_on
from tests.connections.connectors.files.truth import ACTIONS, APPLIED, FAILED, UNSURE, Action, snapshot
from tests.connections.faulty_disk import Disk, Fault

CERTAIN = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG, errno.EXDEV)
BROKEN = (errno.EIO, errno.ESTALE, errno.ETIMEDOUT)
OFFERS = {"any disk": True, "a plain disk": False}


def cells() -> list[Any]:
    return [
        pytest.param(action, offers, number, expected, codes, id=f"{name}, {disk}, {number} {step}, {how}")
        for (name, action), (disk, offers) in itertools.product(ACTIONS.items(), OFFERS.items())
        for number, (step, certain, broken) in enumerate(steps_of(action, offers=offers))
        for how, expected, codes in (("refused", certain, CERTAIN), ("broken", broken, BROKEN))
    ]


def steps_of(action: Action, *, offers: bool) -> tuple[tuple[str, str, str], ...]:
    return action.steps if offers or action.plain_steps is None else action.plain_steps


def folders(tmp_path: Path, action: Action) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """One to act in, and how it looks before and after."""
    after = tmp_path / "after"
    after.mkdir()
    action.prepare(after)
    action.perform(after)
    here = tmp_path / "here"
    here.mkdir()
    action.prepare(here)
    return here, snapshot(here), snapshot(after)


def play(here: Path, action: Action, disk: Disk) -> tuple[str, Any]:
    """What the tool says, and what was approved."""
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
    assert play(here, ACTIONS[name], disk)[0] == APPLIED
    assert disk.steps == [step for step, _, _ in steps_of(ACTIONS[name], offers=offers)]
    assert snapshot(here) == after


@pytest.mark.parametrize(("action", "offers", "number", "expected", "codes"), cells())
def test_a_step_that_fails(
    tmp_path: Path, action: Action, number: int, expected: str, codes: tuple[int, ...], *, offers: bool
) -> None:
    for code in codes:
        root = tmp_path / str(code)
        root.mkdir()
        here, before, after = folders(root, action)
        said, approved = play(here, action, Disk(Fault(number, code), offers_exchange=offers))
        assert said == expected, errno.errorcode[code]
        if said == UNSURE:
            look_after(here, action, approved, before, after)
        else:
            assert snapshot(here) == (before if said == FAILED else after)


@pytest.mark.parametrize(
    ("action", "offers", "number", "expected", "codes"), [cell for cell in cells() if UNSURE in cell.values]
)
def test_a_step_that_was_done_though_the_disk_says_it_failed(
    tmp_path: Path, action: Action, number: int, expected: str, codes: tuple[int, ...], *, offers: bool
) -> None:
    here, before, after = folders(tmp_path, action)
    said, approved = play(here, action, Disk(Fault(number, codes[0], "after"), offers_exchange=offers))
    assert said == expected
    look_after(here, action, approved, before, after)


def look_after(here: Path, action: Action, approved: Any, before: dict[str, Any], after: dict[str, Any]) -> None:
    """The checker knows, it is as it says, and nothing of ours is left."""
    happened = check(here, action.tool, approved, **action.parameters).happened
    if happened:
        assert snapshot(here) == after
    else:
        assert snapshot(here, folders=False) == {name: what for name, what in before.items() if what != "a folder"}


@pytest.mark.parametrize("name", ACTIONS)
def test_killed_at_each_step(tmp_path: Path, name: str) -> None:
    """Nothing half is ever under the name; the checker knows, but where nothing was there and nothing was begun."""
    command = [sys.executable, "-m", "tests.connections.connectors.files.killing", str(tmp_path), name]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


def become_file(place: Path) -> None:
    place.write_text("another")


def become_link(place: Path) -> None:
    place.with_name("elsewhere").write_text("another")
    place.symlink_to("elsewhere")


def become_socket(place: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(place))


def become_device(place: Path) -> None:
    try:
        os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("only root may make a device")


BECOMES = {
    "nothing": lambda _: None,
    "a file": become_file,
    "a link": become_link,
    "a folder": Path.mkdir,
    "a pipe": os.mkfifo,
    "a socket": become_socket,
    "a device": become_device,
}


SAME_AS_BEFORE = {("write a new file", "nothing"), ("delete a folder", "a folder")}
"""What is no change; one empty folder is as good as another."""


@pytest.mark.parametrize(
    ("name", "becomes"),
    [
        one
        for one in itertools.product(ACTIONS, BECOMES)
        if one not in SAME_AS_BEFORE and one[0] != "write what is there already"
    ],
)
def test_what_the_name_means_is_another_thing_by_now(tmp_path: Path, name: str, becomes: str) -> None:
    """Since it was identified: nothing is done, and the next attempt identifies what is there."""
    action = ACTIONS[name]
    here = tmp_path / "here"
    here.mkdir()
    action.prepare(here)
    place = here / (action.parameters.get("path") or action.parameters["source"])
    approved = identify(here, action.tool, **action.parameters)
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rename(tmp_path / "away")  # its inode is not given to the next one
    BECOMES[becomes](place)
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
    ("write", {"path": "file", "text": "x"}, "is there already"),
    ("write", {"path": "file/below", "text": "x"}, "is below something that is not a folder"),
    ("write", {"path": LONG, "text": "x"}, "has a name that is too long"),
    ("write", {"path": "loop/a", "text": "x"}, "leads nowhere"),
    ("write", {"path": "loop", "text": "x"}, "leads nowhere"),
    ("move", {"source": "file", "target": "folder"}, "is there already"),
    ("move", {"source": "file", "target": "file"}, "is there already"),
    ("move", {"source": "file", "target": LONG}, "has a name that is too long"),
    ("move", {"source": "file", "target": "file/below"}, "is below something that is not a folder"),
    ("move", {"source": "folder", "target": "folder/below"}, "cannot be put there"),
    ("move", {"source": "gone", "target": "b"}, "is not there"),
    ("move", {"source": "loop/a", "target": "b"}, "leads nowhere"),
    ("delete", {"path": "full"}, "is a folder that is not empty"),
    ("delete", {"path": "gone"}, "is not there"),
    ("delete", {"path": "file/below"}, "is below something that is not a folder"),
    ("delete", {"path": LONG}, "has a name that is too long"),
]


@pytest.mark.parametrize(("tool", "parameters", "said"), REFUSED)
def test_what_cannot_be_done_changes_nothing(tmp_path: Path, tool: str, parameters: dict[str, Any], said: str) -> None:
    (tmp_path / "full").mkdir()
    for place in (tmp_path / "file", tmp_path / "full/a"):
        place.write_text("x!")
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    before = lstat_all(tmp_path)
    assert said in refused(tmp_path, FailureClass.LOGIC, tool, **parameters)
    assert lstat_all(tmp_path) == before
