"""The outcome of every file tool for a disk error at every step, and the folder before and after.

"failed" means that nothing happened, "unsure" that the checker will know, "applied" that it is durably done.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FAILED, UNSURE, APPLIED = "failed", "unsure", "applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    tool: str
    parameters: dict[str, Any]
    prepare: Callable[[Path], object]
    perform: Callable[[Path], object]
    """The effect of the action, without the tool."""
    steps: tuple[tuple[str, str, str], ...]
    """Each step with its outcome for a definite error (disk full, not allowed), and for a broken disk."""
    plain_steps: tuple[tuple[str, str, str], ...] | None = None
    """On a disk that can neither swap files nor rename without replacing, where that makes a difference."""
    unsure_steps: int = 0
    """If killed before that step, nothing shows what happened, so the user is asked."""


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(exist_ok=True)
    place.write_text(text)


def _move(here: Path) -> None:
    (here / "sub").mkdir()
    (here / "a").rename(here / "sub/b")


_NEW_FOLDER = (("mkdir", FAILED, FAILED), ("sync folder", FAILED, FAILED))
_PART = (("create", FAILED, FAILED), ("write", FAILED, FAILED), ("sync file", FAILED, FAILED))
_LAST = ("sync folder", UNSURE, UNSURE)

ACTIONS = {
    "write a new file": Action(
        tool="write",
        parameters={"path": "sub/a", "text": "new content"},
        prepare=lambda _: None,
        perform=lambda here: _write(here / "sub/a", "new content"),
        steps=(*_NEW_FOLDER, ("unlink", FAILED, FAILED), *_PART, ("rename", FAILED, UNSURE), _LAST),
        unsure_steps=4,
    ),
    "write over a file": Action(
        tool="write",
        parameters={"path": "a", "text": "new content", "overwrite": True},
        prepare=lambda here: _write(here / "a", "old"),
        perform=lambda here: _write(here / "a", "new content"),
        steps=(*_PART, ("exchange", FAILED, UNSURE), ("unlink", UNSURE, UNSURE), _LAST),
        plain_steps=(*_PART, ("replace", FAILED, UNSURE), _LAST),
    ),
    "write what is there already": Action(
        tool="write",
        parameters={"path": "a", "text": "same"},
        prepare=lambda here: _write(here / "a", "same"),
        perform=lambda _: None,
        steps=(_LAST,),
    ),
    "move a file": Action(
        tool="move",
        parameters={"source": "a", "target": "sub/b"},
        prepare=lambda here: _write(here / "a", "moved"),
        perform=_move,
        steps=(*_NEW_FOLDER, ("rename", FAILED, UNSURE), _LAST, _LAST),
    ),
    "move several files": Action(
        tool="move_many",
        parameters={"moves": [{"source": "a", "target": "sub/b"}, {"source": "c", "target": "sub/d"}]},
        prepare=lambda here: (_write(here / "a", "first"), _write(here / "c", "second")),
        perform=lambda here: (_move(here), (here / "c").rename(here / "sub/d")),
        steps=(*_NEW_FOLDER, ("rename", FAILED, UNSURE), ("rename", FAILED, UNSURE), _LAST, _LAST),
    ),
    "delete a file": Action(
        tool="delete",
        parameters={"path": "a"},
        prepare=lambda here: _write(here / "a", "old"),
        perform=lambda here: (here / "a").unlink(),
        steps=(("rename", FAILED, UNSURE), ("unlink", FAILED, FAILED), _LAST),
    ),
    "delete a folder": Action(
        tool="delete",
        parameters={"path": "a"},
        prepare=lambda here: (here / "a").mkdir(),
        perform=lambda here: (here / "a").rmdir(),
        steps=(("rmdir", FAILED, UNSURE), _LAST),
    ),
}


def snapshot(here: Path, *, folders: bool = True) -> dict[str, Any]:
    """All paths in the folder with their content."""
    return {
        place.relative_to(here).as_posix(): place.readlink() if place.is_symlink() else place.read_text()
        for place in here.rglob("*")
        if not place.is_dir()
    } | {place.relative_to(here).as_posix(): "a folder" for place in here.rglob("*") if folders and place.is_dir()}
