"""The folder of a connection, and paths inside it: none may lead out, through links neither."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.disk import explained
from scheduler.connections.mistakes import wrong
from scheduler.rules.failures import FailureClass


def root_of(call: Call) -> Path:
    """The folder that the person chose."""
    chosen = Path(call.settings["path"])
    with explained(str(chosen)):
        try:
            return chosen.expanduser().resolve(strict=True)
        except (FileNotFoundError, RuntimeError) as error:
            raise ToolFailedError.because(
                FailureClass.TRANSIENT, f"The folder {chosen} is not there. Connect its disk, or choose another folder."
            ) from error


def place_in(root: Path, given: str, *, follow: bool) -> Path:
    """Where a path leads. A link at its end is followed or meant itself; either way the place is inside the root."""
    parts = PurePosixPath(given).parts
    if not parts or ".." in parts or parts[0].startswith("/") or "\0" in given:
        raise wrong(f'"{given}" is not a path inside the folder of this connection, such as notes/today.txt.')
    try:
        parent = root.joinpath(*parts[:-1]).resolve()
        place = parent / parts[-1]
        if follow:
            place = place.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # loops are a RuntimeError up to Python 3.12
        raise wrong(f'"{given}" leads nowhere.') from error
    if not (place if follow else parent).is_relative_to(root):
        raise wrong(f'"{given}" leads out of the folder of this connection.')
    return place


@contextmanager
def held(root: Path, place: Path, *, make: bool = False) -> Iterator[Path]:
    """The same place by a way that nobody can turn elsewhere meanwhile: a folder that became a link is an OSError.

    `make` makes the folders on the way that are missing, and removes them again if what is done there fails.
    """
    if place == root:  # where a link may lead
        yield place
        return
    with ExitStack() as opened:
        folder = _open_folder(opened, root, None)
        made: list[tuple[str, int]] = []
        try:
            for step in place.parent.relative_to(root).parts:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(step, dir_fd=folder)
                        made.append((step, folder))
                        os.fsync(folder)
                folder = _open_folder(opened, step, folder)
            yield Path(f"/proc/self/fd/{folder}") / place.name
        except BaseException:
            _remove_empty(made)
            raise


def _remove_empty(made: list[tuple[str, int]]) -> None:
    """Innermost first; one that something was put into stays, and those around it."""
    with suppress(OSError):
        for name, parent in reversed(made):
            os.rmdir(name, dir_fd=parent)


def _open_folder(opened: ExitStack, name: str | Path, parent: int | None) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    folder = os.open(name, flags, dir_fd=parent)
    opened.callback(os.close, folder)
    return folder
