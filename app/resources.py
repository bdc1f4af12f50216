"""Finds the files of `resources/`: beside `app` in a clone, inside it once installed."""

from functools import cache
from pathlib import Path


class MissingResourceError(FileNotFoundError):
    """A file that belongs to Dayhand is missing."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is missing from this copy of Dayhand. Reinstall Dayhand.")


@cache
def find_resource(name: str) -> Path:
    """The path of a file such as `icons/app.svg`."""
    here = Path(__file__).resolve().parent
    # The installed copy comes first: `resources` beside it could belong to another package.
    for root in (here / "shipped_resources", here.parent / "resources"):
        path = root / name
        if path.is_file():
            return path
    raise MissingResourceError(name)


def read_resource(name: str) -> str:
    return find_resource(name).read_text(encoding="utf-8")
