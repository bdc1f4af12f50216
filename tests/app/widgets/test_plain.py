"""A text cannot pretend to be another one, and never becomes markup."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from app.widgets.plain import as_tooltip, reveal


@pytest.mark.parametrize("trick", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066", "\ufeff", "\r", "\u2028", "\ue000"])
def test_what_hides_or_turns_text_around_is_written_out(trick: str) -> None:
    shown = reveal(f"pay{trick}100")
    assert trick not in shown
    assert f"⟨{ord(trick):04X}⟩" in shown


def test_ordinary_writing_stays_as_it_is() -> None:
    for text in ("Grüße aus Zürich", "第一章", "a\tb\nc", "🙂", "naïve – “quoted”", "שלום"):  # noqa: RUF001
        assert reveal(text) == text


@given(st.text())
def test_nothing_invisible_is_left(text: str) -> None:
    left = {unicodedata.category(character) for character in reveal(text)} - {"Cc"}
    assert left.isdisjoint({"Cf", "Co", "Cs", "Zl", "Zp"})
    assert all(character in "\n\t" for character in reveal(text) if unicodedata.category(character) == "Cc")


@given(st.text("ab<>&\"'/= \n", max_size=60))
def test_a_tooltip_shows_the_text_and_not_what_it_would_make_of_it(text: str) -> None:
    shown = as_tooltip(text)
    if shown == text:
        return
    document = QTextDocument()
    document.setHtml(shown)
    assert "".join(document.toPlainText().split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["3 < 4", "<b>Paid</b>", "<img src='x'>", "line\n<a href='x'>there</a>", "<qt>x"])
def test_markup_is_written_out(text: str, qapp: QApplication) -> None:
    shown = as_tooltip(text)
    assert "&lt;" in shown
    document = QTextDocument()
    document.setHtml(shown)
    assert document.toPlainText() == text


def test_plain_words_are_left_alone() -> None:
    for text in ("one\ntwo", "5 > 4", "Tom & Anna", "&lt;"):
        assert as_tooltip(text) == text
