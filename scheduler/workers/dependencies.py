"""What a script says about its packages and its Python, in a comment block after PEP 723."""

import re
import tomllib
from dataclasses import dataclass
from typing import Any

_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)[ \t]*$\s(?P<content>(^#(| .*)$\s?)+)^# ///[ \t]*$")


class BadDependenciesError(Exception):
    """The block cannot be read; `line` is where it begins."""

    def __init__(self, sentence: str, line: int) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.line = line


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependencies:
    packages: tuple[str, ...] = ()
    """Requirements as written, in order of the alphabet."""
    python: str | None = None
    """Which Pythons will do, such as >=3.10; None is any that Dayhand knows."""


def read_dependencies(source: str) -> Dependencies:
    """What the script needs; nothing where it has no block."""
    blocks = [block for block in _BLOCK.finditer(source.replace("\r\n", "\n")) if block["type"] == "script"]
    if not blocks:
        return Dependencies()
    line = source.replace("\r\n", "\n")[: blocks[-1].start()].count("\n") + 1
    if len(blocks) > 1:
        raise BadDependenciesError("The script has two blocks of # /// script; keep one.", line)
    lines = blocks[0]["content"].splitlines()
    try:
        told = tomllib.loads("\n".join(text[2:] if text.startswith("# ") else text[1:] for text in lines))
    except tomllib.TOMLDecodeError as error:
        raise BadDependenciesError(f"The block of # /// script is not TOML: {error}.", line) from error
    packages = told.get("dependencies", [])
    if not isinstance(packages, list) or not all(_is_requirement(package) for package in packages):
        raise BadDependenciesError(
            'dependencies is not a list of packages; write # dependencies = ["python-dateutil>=2.9"].', line
        )
    python = told.get("requires-python")
    if python is not None and not (isinstance(python, str) and python.strip()):
        raise BadDependenciesError('requires-python is not a text; write # requires-python = ">=3.10".', line)
    return Dependencies(packages=tuple(sorted({package.strip() for package in packages})), python=python)


def _is_requirement(package: Any) -> bool:
    """A text that no tool can take for an option of its own."""
    return isinstance(package, str) and package.strip() != "" and not package.strip().startswith("-")
