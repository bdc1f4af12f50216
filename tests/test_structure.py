"""Limits on what makes the code hard to navigate; `python packaging/structure.py` prints the details."""

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
MAX_MODULES = 641
MAX_DUPLICATE_CLASSES = 0.03


@pytest.fixture(scope="module")
def structure() -> ModuleType:
    spec = importlib.util.spec_from_file_location("structure", ROOT / "packaging" / "structure.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modules(structure: ModuleType) -> dict[str, Path]:
    modules_found: dict[str, Path] = structure.find_modules()
    return modules_found


def test_there_are_not_too_many_modules(modules: dict[str, Path]) -> None:
    assert len(modules) <= MAX_MODULES


def test_no_module_is_named_with_a_participle(structure: ModuleType, modules: dict[str, Path]) -> None:
    assert structure.find_participles(modules) == []


def test_few_classes_share_a_name(structure: ModuleType, modules: dict[str, Path]) -> None:
    total, duplicates = structure.find_duplicate_classes(modules)
    assert sum(map(len, duplicates.values())) <= MAX_DUPLICATE_CLASSES * total, duplicates


def test_no_modules_import_each_other(structure: ModuleType, modules: dict[str, Path]) -> None:
    assert structure.find_cycles(modules) == []


def test_no_file_is_too_long(structure: ModuleType, modules: dict[str, Path]) -> None:
    assert structure.find_long_files(modules) == []


def test_no_function_is_too_long(structure: ModuleType, modules: dict[str, Path]) -> None:
    assert structure.find_long_functions(modules) == []


def test_every_file_that_contributing_names_exists() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = set(
        re.findall(r"`((?:app|engine|rules|store|timing|workers|connections|sdk|packaging|tests)/[\w/]+\.py)`", text)
    )
    assert len(named) > 50
    tops = (ROOT, ROOT / "scheduler")
    assert [name for name in sorted(named) if not any((top / name).exists() for top in tops)] == []


def test_the_counts_see_what_they_count(structure: ModuleType, tmp_path: Path) -> None:
    """Each limit can be broken."""
    (tmp_path / "app").mkdir()
    (tmp_path / "scheduler").mkdir()
    lines = "\n".join(f"    {number}" for number in range(400))
    (tmp_path / "app" / "telling.py").write_text(f"import app.other\nclass A: pass\ndef long():\n{lines}\n")
    (tmp_path / "app" / "other.py").write_text("from app.telling import A as B\nclass A: pass\n")
    modules_found = structure.find_modules(tmp_path)
    assert structure.find_participles(modules_found) == ["app.telling"]
    assert structure.find_duplicate_classes(modules_found) == (2, {"A": ["app.other", "app.telling"]})
    assert structure.find_cycles(modules_found) == [["app.other", "app.telling"]]
    assert structure.find_long_files(modules_found) == ["app.telling"]
    assert structure.find_long_functions(modules_found) == ["app.telling.long"]
