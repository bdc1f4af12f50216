"""Every text of the engine for the user has a German translation with the same fields."""

import ast
import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

CLONE = Path(__file__).parents[3]
FIELDS = re.compile(r"\{(\w+)\}")
TAKE_SENTENCES = {
    "AttemptFailedError",
    "BadReturn",
    "BadScheduleError",
    "Failure",
    "Misuse",
    "RefusedError",
    "ToolFailedError",
    "because",
    "connection_lost",
    "logic_failure",
    "unusable_answer",
}
"""What a call of these is given is shown to the user."""


@pytest.fixture(scope="module")
def user_texts() -> ModuleType:
    spec = importlib.util.spec_from_file_location("user_texts", CLONE / "packaging" / "user_texts.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_german() -> dict[str, str]:
    found: dict[str, str] = json.loads((CLONE / "resources/translations/engine_de.json").read_text(encoding="utf-8"))
    return found


def test_every_text_of_the_engine_is_known(user_texts: ModuleType) -> None:
    assert user_texts.find_templates() == set(read_german()), "run packaging/translate"


def test_every_text_of_the_engine_is_translated() -> None:
    assert not [template for template, german in read_german().items() if not german]


def test_a_translation_has_the_fields_of_its_template() -> None:
    for template, german in read_german().items():
        fields = {name.lower() for name in FIELDS.findall(template)}
        assert {name.lower() for name in FIELDS.findall(german)} <= fields, template


def test_templates_are_found_in_a_source(user_texts: ModuleType) -> None:
    source = """
KNOWN = {"a": UserText("add rows to {name}")}
log.warning("Nobody reads this one")
raise ValueError(UserText("{path} holds " "{count} files.", path=path, count=count))
UserText(KNOWN["a"], name="b")
"""
    assert set(user_texts.read_templates(source)) == {"add rows to {name}", "{path} holds {count} files."}


def plain_sentences(source: str) -> Iterator[int]:
    """Lines where a sentence for the user is written as a plain string."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = [*node.args, *(one.value for one in node.keywords if one.arg == "sentence")]
            for value in given if name in TAKE_SENTENCES else ():
                last = value.values[-1] if isinstance(value, ast.JoinedStr) else value
                if isinstance(last, ast.Constant) and str(last.value).endswith((".", "?")):
                    yield node.lineno


def test_sentences_for_the_user_can_be_translated() -> None:
    """An error with a plain string as its sentence would stay English in every language."""
    assert list(plain_sentences('raise RefusedError("busy", f"{name} is busy.")')) == [1]
    assert [
        f"{path.relative_to(CLONE)}:{line}"
        for path in sorted((CLONE / "scheduler").rglob("*.py"))
        if path.parent.name != "api"  # answers to the command line, which speaks English
        for line in plain_sentences(path.read_text(encoding="utf-8"))
    ] == []
