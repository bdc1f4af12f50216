"""The guide to the library: its examples run, its reference is complete, and importing the library is light."""

import importlib.util
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from scheduler import library
from tests.library.library_fixture import TIMEOUT_S

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "resources" / "library.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """packaging/reference.py"""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "packaging" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_examples_run_one_after_the_other(tmp_path: Path) -> None:
    """They share a file, as the guide says."""
    assert len(EXAMPLES) == 4
    printed = []
    for example in EXAMPLES:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", example],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
            env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)},
        )
        assert (done.returncode, done.stderr) == (0, "")
        printed.append(done.stdout)
    assert "Report for" in printed[0]
    assert "manual" in printed[0]
    assert "succeeded" in printed[2]
    assert "1 2" in printed[2]
    assert "ran in a thread of the pool" in printed[3]


def test_the_reference_is_up_to_date(reference: ModuleType) -> None:
    """If not: python packaging/reference.py"""
    assert reference.write_library_page(PAGE) == PAGE


def test_every_public_name_and_method_is_documented() -> None:
    for name in library.__all__:
        thing = getattr(library, name)
        assert f"### `{name}`" in PAGE
        first = (inspect.getdoc(thing) or "").partition("\n")[0]
        assert first and not first.startswith(f"{name}(") and first in PAGE
    methods = [name for name, _ in inspect.getmembers(library.Scheduler, inspect.isfunction) if name[0] != "_"]
    assert len(methods) > 20
    for name in methods:
        assert inspect.getdoc(getattr(library.Scheduler, name))
        assert f"#### `scheduler.{name}`" in PAGE


def test_every_setting_of_a_schedule_is_explained() -> None:
    text = inspect.getdoc(library.Scheduler.upsert_schedule) or ""
    for parameter in inspect.signature(library.Scheduler.upsert_schedule).parameters:
        if parameter not in ("self", "name"):
            assert re.search(rf"^{parameter}: |`{parameter}`", text, re.MULTILINE)


def test_importing_it_loads_nothing_heavy() -> None:
    program = (
        "import sys, scheduler; before = set(sys.modules); assert 'scheduler.library' not in before\n"
        "from scheduler import Scheduler\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=TIMEOUT_S, cwd=ROOT
    )
    loaded = set(done.stdout.split())
    assert "scheduler.library.scheduler" in loaded
    heavy = {"PySide6", "keyring", "urllib3", "http", "ssl", "asyncio", "croniter", "scheduler.connections", "app"}
    assert loaded & heavy == set()
