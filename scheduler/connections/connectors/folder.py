"""The folder of a connection and paths inside it. No path may lead out, not even through a link."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import converting_disk_errors
from scheduler.file_system import OpenFolder, find_name_mistake
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText


def resolve_root(call: Call) -> Path:
    """The folder that the user chose."""
    path = Path(call.settings["path"])
    with converting_disk_errors(str(path)):
        try:
            return path.expanduser().resolve(strict=True)
        except (FileNotFoundError, RuntimeError) as error:
            raise ToolFailedError.because(
                FailureClass.TRANSIENT,
                UserText("The folder {path} does not exist. Connect its disk, or choose another folder.", path=path),
            ) from error


def resolve_path(root: Path, given: str, *, follow: bool) -> Path:
    """The resolved path, always inside the root. `follow` says whether a link at its end is followed."""
    parts = PurePosixPath(given).parts
    if not parts or ".." in parts or parts[0].startswith("/") or "\0" in given:
        raise logic_failure(
            UserText(
                '"{given}" is not a path inside the folder of this connection. Give one such as notes/today.txt.',
                given=given,
            )
        )
    require_valid_names(parts)
    try:
        parent = root.joinpath(*parts[:-1]).resolve()
        place = parent / parts[-1]
        if follow:
            place = place.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # loops are a RuntimeError up to Python 3.12
        raise logic_failure(UserText('"{given}" cannot be resolved.', given=given)) from error
    if not (place if follow else parent).is_relative_to(root):
        raise logic_failure(UserText('"{given}" is outside the folder of this connection.', given=given))
    return place


def require_valid_names(names: Iterable[str]) -> None:
    """Refuse names that the system does not allow, with the reason."""
    for name in names:
        if (mistake := find_name_mistake(name)) is not None:
            raise logic_failure(UserText('The name "{name}" {mistake}.', name=name, mistake=mistake))


@contextmanager
def pinned_path(root: Path, place: Path, *, make: bool = False) -> Iterator[Path]:
    """The same path through an open directory, so that no link can redirect it.

    A folder that was replaced by a link is an OSError. `make` creates missing folders, and removes them if the block
    fails.
    """
    if place == root:  # a link inside may point to it
        yield place
        return
    opened, created = [OpenFolder(root)], []
    try:
        for step in place.parent.relative_to(root).parts:
            if make:
                with suppress(FileExistsError):
                    opened[-1].make(step)
                    created.append((step, len(opened)))
                    opened[-1].sync()
            opened.append(opened[-1].enter(step))
        yield opened[-1].path_of(place.name)
    except BaseException:
        _remove_created(opened, created)
        raise
    finally:
        for folder in reversed(opened):
            folder.close()


def _remove_created(opened: list[OpenFolder], created: list[tuple[str, int]]) -> None:
    """Innermost first. A folder that is not empty stays, and so do its parents."""
    with suppress(OSError):
        for name, depth in reversed(created):
            for folder in reversed(opened[depth:]):
                folder.close()
            del opened[depth:]
            opened[-1].remove(name)
