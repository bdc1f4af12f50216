"""A text cannot pretend to be another one, and never becomes markup."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from app.notices.notice import Notice
from app.notices.plain import tidy
from app.widgets.invisible_characters import is_invisible
from app.widgets.plain import as_tooltip, fold, reveal, unfold

DEFAULT_IGNORABLE = """
00AD 034F 061C 115F 1160 17B4 17B5 180B 180C 180D 180E 180F 200B 200C 200D 200E 200F 202A 202B 202C 202D 202E 2060 2061
2062 2063 2064 2065 2066 2067 2068 2069 206A 206B 206C 206D 206E 206F 3164 FE00 FE01 FE02 FE03 FE04 FE05 FE06 FE07 FE08
FE09 FE0A FE0B FE0C FE0D FE0E FE0F FEFF FFA0 FFF0 FFF1 FFF2 FFF3 FFF4 FFF5 FFF6 FFF7 FFF8 1BCA0 1BCA1 1BCA2 1BCA3 1D173
1D174 1D175 1D176 1D177 1D178 1D179 1D17A
"""
"""Of Unicode's DerivedCoreProperties, which has beside them all from E0000 to E0FFF."""
BLANK = "1680 2000 2009 200A 205F 2800 303F FFFC 16FE4 1D159"


@pytest.mark.parametrize("trick", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066", "\ufeff", "\r", "\u2028", "\ue000"])
def test_what_hides_or_turns_text_around_is_written_out(trick: str) -> None:
    shown = reveal(f"pay{trick}100")
    assert trick not in shown
    assert f"⟨{ord(trick):04X}⟩" in shown


def test_all_that_unicode_calls_ignorable_is_written_out() -> None:
    codes = [int(code, 16) for code in (DEFAULT_IGNORABLE + BLANK).split()] + list(range(0xE0000, 0xE1000))
    hidden = [f"{code:04X}" for code in codes if reveal(f"pay{chr(code)}100") != f"pay⟨{code:04X}⟩100"]
    assert not hidden


def test_every_character_is_written_out_exactly_if_it_would_not_be_seen() -> None:
    """Of the whole of Unicode: controls, formats, what is unassigned or private, separators of lines."""
    unseen = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in unseen:
            assert is_invisible(character), f"{code:04X}"
        elif is_invisible(character):
            assert unicodedata.category(character) in ("Lo", "Mn", "So", "Zs"), f"{code:04X}"


def test_a_notification_writes_out_the_same_as_a_card() -> None:
    for trick in ("\u3164", "\u2800", "\u034f", "\ufe0f", "\U000e0041", "\u00ad", "\u200b", "\u202e"):
        words = f"pay{trick}100"
        shown = tidy(Notice(key="a", title=words, text=words, actions=(("a", words),)))
        assert shown.title == shown.text == shown.actions[0][1] == reveal(words) != words


def test_a_pile_of_accents_does_not_cover_the_lines_around_it() -> None:
    shown = reveal("a" + "\u0301" * 60)
    assert shown.count("\u0301") == 4
    assert shown.count("⟨0301⟩") == 56
    assert reveal("e\u0302\u0301") == "e\u0302\u0301"


@pytest.mark.parametrize("letter", ["a", "a\u00a0", "\u2011", "\ufdfd", "第"])
def test_a_word_without_end_has_places_to_break(letter: str) -> None:
    """A no-break space is none, and some letters are as wide as a line."""
    folded = fold(letter * 500, lambda text: sum(300 if one == "\ufdfd" else 8 for one in text), 300)
    assert max(map(len, folded.split("\u200b"))) <= 20
    assert folded.count("\ufdfd") in (0, folded.count("\u200b") + 1)
    assert unfold(folded) == letter * 500


def test_ordinary_writing_stays_as_it_is() -> None:
    ordinary = ("Grüße aus Zürich", "第一章", "a\tb\nc", "🙂", "naïve – “quoted”", "שלום")  # noqa: RUF001
    for text in (*ordinary, "1\u202f000\u00a0€", "一\u3000二"):
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
