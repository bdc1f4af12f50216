"""The folder of a connection and paths inside it. No path may lead out, not even through a link."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath

from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.errors import logic_failure
from scheduler.connections.safe_files import converting_disk_errors
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


@contextmanager
def pinned_path(root: Path, place: Path, *, make: bool = False) -> Iterator[Path]:
    """The same path through an open directory, so that no link can redirect it.

    A folder that was replaced by a link is an OSError. `make` creates missing folders, and removes them if the block
    fails.
    """
    if place == root:  # a link inside may point to it
        yield place
        return
    with ExitStack() as stack:
        folder = _open_folder(stack, root, None)
        created: list[tuple[str, int]] = []
        try:
            for step in place.parent.relative_to(root).parts:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(step, dir_fd=folder)
                        created.append((step, folder))
                        os.fsync(folder)
                folder = _open_folder(stack, step, folder)
            yield Path(f"/proc/self/fd/{folder}") / place.name
        except BaseException:
            _remove_created(created)
            raise


def _remove_created(created: list[tuple[str, int]]) -> None:
    """Innermost first. A folder that is not empty stays, and so do its parents."""
    with suppress(OSError):
        for name, parent in reversed(created):
            os.rmdir(name, dir_fd=parent)


def _open_folder(stack: ExitStack, name: str | Path, parent: int | None) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
    folder = os.open(name, flags, dir_fd=parent)
    stack.callback(os.close, folder)
    return folder
