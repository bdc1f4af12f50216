"""The reference of `dayhand` matches its docstrings."""

import importlib.util
import inspect
import re
from pathlib import Path
from types import ModuleType

import dayhand
import pytest

ROOT = Path(__file__).parents[2]
PATH = ROOT / "resources" / "reference.md"


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    """packaging/reference.py"""
    spec = importlib.util.spec_from_file_location("reference", ROOT / "packaging" / "reference.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_up_to_date(reference: ModuleType) -> None:
    """If not: python packaging/reference.py"""
    assert PATH.read_text(encoding="utf-8") == reference.write_reference()


def test_the_page_of_tools_is_up_to_date(reference: ModuleType) -> None:
    """If not: python packaging/reference.py"""
    assert reference.TOOLS_PATH.read_text(encoding="utf-8") == reference.write_tools_page()


def test_every_public_name_has_a_section_with_text() -> None:
    page = PATH.read_text(encoding="utf-8")
    assert re.findall(r"^## `dayhand\.(\w+)`$", page, re.MULTILINE) != []
    assert sorted(re.findall(r"^## `dayhand\.(\w+)`$", page, re.MULTILINE)) == sorted(dayhand.__all__)
    for name in dayhand.__all__:
        first = (inspect.getdoc(getattr(dayhand, name)) or "").partition("\n")[0]
        assert first and first in page


def test_every_handler_setting_and_context_member_is_listed() -> None:
    page = PATH.read_text(encoding="utf-8")
    for kind in ("producer", "consumer", "job"):
        part = page.split(f"### `flow.{kind}`", 1)[1].split("###", 1)[0]
        expected = set(inspect.signature(getattr(dayhand.Workflow, kind)).parameters) - {
            "self",
            "positional",
            "unknown",
        }
        assert expected <= set(re.findall(r"\b(\w+)=", part))
    for context in (dayhand.Context, dayhand.ProducerContext, dayhand.PrepareContext, dayhand.JobContext):
        for word in (word for word in dir(context) if not word.startswith("_") and word != "phase"):
            assert f"### `ctx.{word}`" in page


def test_no_signature_is_cut_off() -> None:
    for code in re.findall(r"```text\n(.*?)```", PATH.read_text(encoding="utf-8"), re.DOTALL):
        assert code.count("(") == code.count(")")
