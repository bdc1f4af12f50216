"""Where the files of `resources/` are: beside `app` in a clone, inside it once installed."""

from functools import cache
from pathlib import Path


class MissingResourceError(FileNotFoundError):
    """A file that belongs to Dayhand is not there."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is missing from this copy of Dayhand; install Dayhand again.")


@cache
def find_resource(name: str) -> Path:
    """The file of that name, such as `icons/app.svg`."""
    here = Path(__file__).resolve().parent
    # An installed copy comes first: a folder called resources beside it would be somebody else's.
    for root in (here / "data", here.parent / "resources"):
        path = root / name
        if path.is_file():
            return path
    raise MissingResourceError(name)


def read_resource(name: str) -> str:
    return find_resource(name).read_text(encoding="utf-8")
