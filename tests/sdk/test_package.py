"""The package works without anything else installed."""

import ast
import subprocess
import sys
from pathlib import Path

import dayhand
import pytest

FILES = sorted(Path(dayhand.__file__).parent.glob("*.py"))
OLD_PYTHON = Path("~/.pyenv/versions/3.9.18/bin/python").expanduser()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_imports_the_standard_library_only(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [str(node.module)]
        for name in names:
            assert name.split(".")[0] in sys.stdlib_module_names | {"dayhand"}, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_it_parses_as_python_3_9(path: Path) -> None:
    ast.parse(path.read_text(), feature_version=(3, 9))


def test_python_3_9_imports_it() -> None:
    if not OLD_PYTHON.exists():
        pytest.skip(f"there is no {OLD_PYTHON}")
    folder = str(Path(dayhand.__file__).parent.parent)
    code = f"import sys; sys.path.insert(0, {folder!r}); import dayhand; print(dayhand.Workflow('A').slug)"
    done = subprocess.run([OLD_PYTHON, "-I", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "a\n"


def test_every_public_thing_is_documented() -> None:
    """The reference is generated from the docstrings."""
    for name in dayhand.__all__:
        thing = getattr(dayhand, name)
        assert thing.__doc__, name
        if isinstance(thing, type):
            for word, part in vars(thing).items():
                if not word.startswith("_") and (callable(part) or isinstance(part, property)):
                    assert part.__doc__, f"{name}.{word}"
