"""The reference of `dayhand` is what its docstrings say now."""

import inspect
import re

import dayhand

from app.reference import PATH, write_reference


def test_the_page_is_up_to_date() -> None:
    """If not: python -m app.reference"""
    assert PATH.read_text(encoding="utf-8") == write_reference()


def test_every_name_has_its_place_with_a_text() -> None:
    page = PATH.read_text(encoding="utf-8")
    assert re.findall(r"^## `dayhand\.(\w+)`$", page, re.MULTILINE) != []
    assert sorted(re.findall(r"^## `dayhand\.(\w+)`$", page, re.MULTILINE)) == sorted(dayhand.__all__)
    for name in dayhand.__all__:
        first = (inspect.getdoc(getattr(dayhand, name)) or "").partition("\n")[0]
        assert first and first in page


def test_every_setting_of_a_handler_and_everything_that_ctx_offers_is_named() -> None:
    page = PATH.read_text(encoding="utf-8")
    for kind in ("producer", "consumer", "job"):
        part = page.split(f"### `flow.{kind}`", 1)[1].split("###", 1)[0]
        wanted = set(inspect.signature(getattr(dayhand.Workflow, kind)).parameters) - {"self", "positional", "unknown"}
        assert wanted <= set(re.findall(r"\b(\w+)=", part))
    for context in (dayhand.Context, dayhand.ProducerContext, dayhand.PrepareContext, dayhand.JobContext):
        for word in (word for word in dir(context) if not word.startswith("_") and word != "phase"):
            assert f"### `ctx.{word}`" in page


def test_no_signature_is_cut_off() -> None:
    for code in re.findall(r"```text\n(.*?)```", PATH.read_text(encoding="utf-8"), re.DOTALL):
        assert code.count("(") == code.count(")")
