"""Moves several files in one call: all of them or none, exactly the approved ones, and never over another file.

There is no way to rename several files at once, so a killed process may leave some moved. Each file is recognized by
its identity at its old or new name; the checker then moves the rest, or moves the first ones back.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.connections.connectors.files import changes
from scheduler.connections.connectors.files.identity import FileMatch, compare, identify
from scheduler.connections.connectors.folder import pinned_path, resolve_path, resolve_root
from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import confirming_save, converting_disk_errors, path_exists
from scheduler.file_system import sync_folder
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_MAX_MOVES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _FileMove:
    source: str
    target: str
    old: Path
    new: Path


def identify_moves(call: Call) -> list[dict[str, Any]]:
    """The files to move. Not a mistake of the script if one is gone: the user may have waited before approving."""
    root, found = resolve_root(call), []
    for move in _read_moves(call, root):
        file = _identify(root, move.old, move.source)
        if file is None:
            raise _changed(UserText("{given} no longer exists, so nothing was moved.", given=move.source))
        if file["kind"] != "file":
            raise logic_failure(UserText("{given} is not a file.", given=move.source))
        if _identify(root, move.new, move.target) is not None:
            raise _changed(UserText("{given} already exists, so nothing was moved.", given=move.target))
        found.append(file)
    return found


def move_many(call: Call) -> dict[str, Any]:
    root = resolve_root(call)
    moves = _read_moves(call, root)
    _require_approved(root, moves, call.target)
    _move_all(root, moves, call.target, [])
    return _describe(moves)


def check_move_many(call: Call) -> Checked:
    """Finish what a killed process began; "no" only if every file is at its old name."""
    root = resolve_root(call)
    moves = _read_moves(call, root)
    if not isinstance(call.target, list) or len(call.target) != len(moves):
        raise _cannot_tell(moves[0])
    moved = [_was_moved(root, move, approved) for move, approved in zip(moves, call.target, strict=True)]
    if not any(moved):
        return Checked(happened=False)
    try:
        _move_all(root, moves, call.target, moved)
    except ToolFailedError as error:
        if error.failure.kind is FailureClass.UNSURE:
            raise
        return Checked(happened=False)
    return Checked(happened=True, result=_describe(moves))


def _describe(moves: Iterable[_FileMove]) -> dict[str, Any]:
    return {"paths": [move.target for move in moves]}


def _read_moves(call: Call, root: Path) -> list[_FileMove]:
    given = call.parameters["moves"]
    example = '[{"source": "a.pdf", "target": "Documents/a.pdf"}]'
    if not given or len(given) > _MAX_MOVES:
        raise logic_failure(UserText('"moves" must have between 1 and {max_moves} entries.', max_moves=_MAX_MOVES))
    moves = []
    for one in given:
        if not isinstance(one, Mapping) or set(one) != {"source", "target"} or not all(map(_is_text, one.values())):
            raise logic_failure(
                UserText('Each of "moves" needs a source and a target, for example {example}.', example=example)
            )
        old, new = (resolve_path(root, one[name], follow=False) for name in ("source", "target"))
        moves.append(_FileMove(source=one["source"], target=one["target"], old=old, new=new))
    for places in ([move.old for move in moves], [move.new for move in moves]):
        if len(set(places)) < len(places):
            raise logic_failure(UserText('A file or a target is given twice in "moves".'))
    return moves


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _require_approved(root: Path, moves: list[_FileMove], approved: Any) -> None:
    """Before the first file is moved."""
    if not isinstance(approved, list) or len(approved) != len(moves):
        raise changes.changed_error(moves[0].source)
    for move, file in zip(moves, approved, strict=True):
        if compare(file, _identify(root, move.old, move.source)) is not FileMatch.SAME:
            raise changes.changed_error(move.source)
        if _identify(root, move.new, move.target) is not None:
            raise _changed(UserText("{given} already exists, so nothing was moved.", given=move.target))


def _move_all(root: Path, moves: list[_FileMove], approved: list[Any], moved: list[bool]) -> None:
    """Move those that are not moved yet; if one cannot be moved, move all of them back."""
    with ExitStack() as stack:
        folders: dict[Path, Path] = {}
        for move in moves:
            _pin(stack, folders, root, move.old, move.source, make=False)
            _pin(stack, folders, root, move.new, move.target, make=True)
        pairs = [(folders[move.old.parent] / move.old.name, folders[move.new.parent] / move.new.name) for move in moves]
        done = [place for place, is_moved in enumerate(moved) if is_moved]
        try:
            for place, move in enumerate(moves):
                if place not in done:
                    with _converting_conflicts(move, pairs[place][1]):
                        changes.move(*pairs[place], approved[place], move.target)
                    done.append(place)
        except ToolFailedError as error:
            if error.failure.kind is FailureClass.UNSURE:
                raise
            for place in reversed(done):
                old, new = pairs[place]
                _move_back(old, new, approved[place], moves[place])
            raise
        with confirming_save(moves[0].target):
            for folder in folders.values():
                sync_folder(folder)


@contextmanager
def _converting_conflicts(move: _FileMove, new: Path) -> Iterator[None]:
    """A file that took the name since the approval is no mistake of the script."""
    try:
        yield
    except ToolFailedError as error:
        if error.failure.kind is FailureClass.LOGIC and path_exists(new):
            raise _changed(UserText("{given} already exists, so nothing was moved.", given=move.target)) from error
        raise


def _move_back(old: Path, new: Path, approved: dict[str, Any], move: _FileMove) -> None:
    try:
        changes.move(new, old, approved, move.source)
    except ToolFailedError as error:
        sentence = UserText(
            "{source} was moved to {target} and could not be moved back, while other files were not moved.",
            source=move.source,
            target=move.target,
        )
        raise ToolFailedError.because(FailureClass.UNSURE, sentence) from error


def _pin(stack: ExitStack, folders: dict[Path, Path], root: Path, place: Path, given: str, *, make: bool) -> None:
    """Keep its folder open, each folder once."""
    if place.parent not in folders:
        with converting_disk_errors(given):
            folders[place.parent] = stack.enter_context(pinned_path(root, place, make=make)).parent


def _was_moved(root: Path, move: _FileMove, approved: dict[str, Any]) -> bool:
    if compare(approved, _identify(root, move.old, move.source)) is FileMatch.SAME:
        return False
    if compare(approved, _identify(root, move.new, move.target)) is FileMatch.SAME:
        return True
    raise _cannot_tell(move)


def _cannot_tell(move: _FileMove) -> ToolFailedError:
    return ToolFailedError.because(
        FailureClass.UNSURE,
        UserText(
            "The file is neither at {source} nor at {target}, so it is unclear whether it was moved.",
            source=move.source,
            target=move.target,
        ),
    )


def _changed(sentence: str) -> ToolFailedError:
    """The next attempt works out the moves again and asks again."""
    return ToolFailedError.because(FailureClass.TRANSIENT, sentence)


def _identify(root: Path, place: Path, given: str) -> dict[str, Any] | None:
    with converting_disk_errors(given):
        try:
            with pinned_path(root, place) as there:
                return identify(there)
        except FileNotFoundError:  # its folder does not exist either
            return None
