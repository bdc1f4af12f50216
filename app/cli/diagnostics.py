"""`dayhand diagnostics FILE`: what helps to find out what is wrong, and nothing of what the person's workflows do."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.keeping.bundle import BundleError
from app.keeping.diagnostics import write_diagnostics
from app.keeping.folder import add_data_dir, data_dir
from scheduler.engine.refusal import RefusedError


@dataclass(frozen=True, slots=True)
class Written:
    path: str

    def data(self) -> dict[str, str]:
        return {"path": self.path}

    def lines(self) -> Iterator[str]:
        yield f"Written to {self.path}. It holds no scripts, no data and no passwords."
        yield "Look through it before you send it to anybody."


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = "Write a zip file that helps to find out what is wrong, without scripts, data or passwords."
    add_data_dir(parser)
    parser.add_argument("file", type=Path, metavar="FILE")


def run(options: Namespace) -> Written:
    target: Path = options.file.absolute()
    if target.exists():
        raise RefusedError("file", f"{target} is there already; choose another name.")
    try:
        write_diagnostics(data_dir(options), target)
    except BundleError as error:
        raise RefusedError("file", str(error)) from error
    return Written(str(target))
