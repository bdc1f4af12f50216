"""The two implementations of what workers need from the operating system have the same names."""

import ast
from pathlib import Path

import pytest

from scheduler.workers import system

WORKERS = Path(system.__file__).parent


def defined_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
    return names


@pytest.mark.parametrize("name", ["unix", "windows"])
def test_each_system_defines_every_name(name: str) -> None:
    tree = ast.parse((WORKERS / f"{name}.py").read_text("utf-8"))
    assert set(system.__all__) <= defined_names(tree)


@pytest.mark.parametrize("name", ["unix", "windows"])
def test_each_system_exports_every_name(name: str) -> None:
    tree = ast.parse(Path(system.__file__).read_text("utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    [from_system] = [node for node in imports if node.module == f"scheduler.workers.{name}"]
    assert {alias.name for alias in from_system.names} == set(system.__all__)
