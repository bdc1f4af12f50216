"""Unix and Windows offer the workers the same names. Windows code is only read here: it cannot be imported."""

import ast
from pathlib import Path

import pytest

from scheduler.workers import system

FOLDER = Path(system.__file__).parent


def parse(module: str) -> ast.Module:
    return ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))


def list_definitions(module: str) -> set[str]:
    found = set()
    for node in parse(module).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]):
                found.add(name)
    return found


def list_imports() -> list[list[tuple[str, str]]]:
    """Of the branch for Windows and of the other one: modules and names."""
    [choice] = [node for node in parse("system").body if isinstance(node, ast.If)]
    return [
        [
            (str(node.module).rpartition(".")[2], one.name)
            for node in branch
            if isinstance(node, ast.ImportFrom)
            for one in node.names
        ]
        for branch in (choice.body, choice.orelse)
    ]


@pytest.mark.posix("compares the sources, which Linux does")
@pytest.mark.parametrize("imports", list_imports(), ids=["Windows", "Unix"])
def test_every_name_exists_on_every_system(imports: list[tuple[str, str]]) -> None:
    assert sorted(name for _, name in imports) == sorted(system.__all__)
    for module, name in imports:
        assert name in list_definitions(module), f"{module}.py has no {name}"
