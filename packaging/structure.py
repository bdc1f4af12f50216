"""Measures how easy the code is to navigate; `python packaging/structure.py` prints the report.

`tests/test_structure.py` has the limits.
"""  # noqa: INP001  a script

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MAX_LINES = 350
MAX_FUNCTION_LINES = 60
_NOUNS_IN_ING = {"formatting", "framing", "monitoring", "opening", "paging", "ping", "slicing", "upcoming"}
"""Names in -ing that are ordinary nouns."""


def find_modules(root: Path = ROOT) -> dict[str, Path]:
    """All modules by dotted name, without `__init__` files."""
    found = {}
    for top in ("app", "scheduler"):
        for path in sorted((root / top).rglob("*.py")):
            if path.name != "__init__.py":
                found[_dotted(path.relative_to(root))] = path
    return found


def find_participles(modules: dict[str, Path]) -> list[str]:
    names = ((name, name.rpartition(".")[2].lstrip("_")) for name in modules)
    return [name for name, stem in names if stem.endswith("ing") and stem not in _NOUNS_IN_ING]


def find_duplicate_classes(modules: dict[str, Path]) -> tuple[int, dict[str, list[str]]]:
    """The number of classes, and the modules of those that share a name."""
    places = defaultdict(list)
    for name, tree in _trees(modules):
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                places[node.name].append(name)
    return sum(map(len, places.values())), {name: where for name, where in places.items() if len(where) > 1}


def find_long_functions(modules: dict[str, Path]) -> list[str]:
    return [
        f"{name}.{node.name}"
        for name, tree in _trees(modules)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno + 1 > MAX_FUNCTION_LINES
    ]


def find_long_files(modules: dict[str, Path]) -> list[str]:
    return [name for name, path in modules.items() if len(path.read_text("utf-8").splitlines()) > MAX_LINES]


def find_cycles(modules: dict[str, Path]) -> list[list[str]]:
    """Groups of modules that import each other when they are loaded."""
    graph = {name: {one for one in _imports(tree, name) if one in modules} for name, tree in _trees(modules)}
    return [sorted(group) for group in _strong_components(graph) if len(group) > 1]


def _dotted(path: Path) -> str:
    name = re.sub(r"\.py$", "", path.as_posix()).replace("/", ".")
    return name.removeprefix("scheduler.sdk.")


def _trees(modules: dict[str, Path]) -> Iterator[tuple[str, ast.Module]]:
    for name, path in modules.items():
        yield name, ast.parse(path.read_text("utf-8"))


def _imports(tree: ast.Module, name: str) -> Iterator[str]:
    for node in _loaded(tree.body):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = name.split(".")[: -node.level] if node.level else []
            base = ".".join([*package, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{one.name}" for one in node.names)


def _loaded(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements that run at import: not those in functions or for type checkers only."""
    for node in body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        for part in ("body", "orelse", "finalbody"):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from _loaded([one for one in getattr(node, part, []) if isinstance(one, ast.stmt)])


def _strong_components(graph: dict[str, set[str]]) -> list[set[str]]:
    order: list[str] = []
    seen: set[str] = set()
    for start in graph:
        _visit(graph, start, seen, order)
    reverse: dict[str, set[str]] = {name: set() for name in graph}
    for name, targets in graph.items():
        for target in targets:
            reverse[target].add(name)
    seen, groups = set(), []
    for name in reversed(order):
        if name not in seen:
            group: list[str] = []
            _visit(reverse, name, seen, group)
            groups.append(set(group))
    return groups


def _visit(graph: dict[str, set[str]], start: str, seen: set[str], order: list[str]) -> None:
    """Depth-first without recursion; `order` gets each name after all names reachable from it."""
    stack = [(start, False)]
    while stack:
        name, is_done = stack.pop()
        if is_done:
            order.append(name)
        elif name not in seen:
            seen.add(name)
            stack.append((name, True))
            stack += [(target, False) for target in sorted(graph[name]) if target not in seen]


def main() -> None:
    modules = find_modules()
    total, duplicates = find_duplicate_classes(modules)
    shared = sum(map(len, duplicates.values()))
    report = {
        "modules": [str(len(modules))],
        "modules named with a participle": find_participles(modules),
        f"classes that share a name ({shared} of {total}, {shared / total:.1%})": [
            f"{name}: {', '.join(places)}" for name, places in sorted(duplicates.items())
        ],
        "import cycles": [" ".join(group) for group in find_cycles(modules)],
        f"files over {MAX_LINES} lines": find_long_files(modules),
        f"functions over {MAX_FUNCTION_LINES} lines": find_long_functions(modules),
    }
    for title, found in report.items():
        sys.stdout.write(f"{title}: {len(found) if title != 'modules' else found[0]}\n")
        sys.stdout.writelines(f"  {line}\n" for line in found if title != "modules")


if __name__ == "__main__":
    main()
