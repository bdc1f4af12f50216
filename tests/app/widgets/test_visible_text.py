"""Texts cannot hide characters or become markup."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from app.notifications.content import sanitize
from app.notifications.notification import Notification
from app.widgets.visible_text import add_break_points, escape_invisible, is_invisible, remove_break_points, tooltip_text

DEFAULT_IGNORABLE = """
00AD 034F 061C 115F 1160 17B4 17B5 180B 180C 180D 180E 180F 200B 200C 200D 200E 200F 202A 202B 202C 202D 202E 2060 2061
2062 2063 2064 2065 2066 2067 2068 2069 206A 206B 206C 206D 206E 206F 3164 FE00 FE01 FE02 FE03 FE04 FE05 FE06 FE07 FE08
FE09 FE0A FE0B FE0C FE0D FE0E FE0F FEFF FFA0 FFF0 FFF1 FFF2 FFF3 FFF4 FFF5 FFF6 FFF7 FFF8 1BCA0 1BCA1 1BCA2 1BCA3 1D173
1D174 1D175 1D176 1D177 1D178 1D179 1D17A
"""
"""From Unicode's DerivedCoreProperties, without E0000 to E0FFF."""
BLANK = "1680 2000 2009 200A 205F 2800 303F FFFC 16FE4 1D159"


@pytest.mark.parametrize("trick", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066", "\ufeff", "\r", "\u2028", "\ue000"])
def test_hidden_and_direction_changing_characters_are_escaped(trick: str) -> None:
    shown = escape_invisible(f"pay{trick}100")
    assert trick not in shown
    assert f"⟨{ord(trick):04X}⟩" in shown


def test_all_ignorable_and_blank_characters_are_escaped() -> None:
    codes = [int(code, 16) for code in (DEFAULT_IGNORABLE + BLANK).split()] + list(range(0xE0000, 0xE1000))
    hidden = [f"{code:04X}" for code in codes if escape_invisible(f"pay{chr(code)}100") != f"pay⟨{code:04X}⟩100"]
    assert not hidden


def test_exactly_the_invisible_characters_of_unicode_are_found() -> None:
    """Controls, formats, unassigned and private characters, line separators."""
    invisible = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in invisible:
            assert is_invisible(character), f"{code:04X}"
        elif is_invisible(character):
            assert unicodedata.category(character) in ("Lo", "Mn", "So", "Zs"), f"{code:04X}"


def test_notifications_escape_the_same_as_cards() -> None:
    for trick in ("\u3164", "\u2800", "\u034f", "\ufe0f", "\U000e0041", "\u00ad", "\u200b", "\u202e"):
        words = f"pay{trick}100"
        shown = sanitize(Notification(key="a", title=words, text=words, actions=(("a", words),)))
        assert shown.title == shown.text == shown.actions[0][1] == escape_invisible(words) != words


def test_excess_accents_are_escaped() -> None:
    shown = escape_invisible("a" + "\u0301" * 60)
    assert shown.count("\u0301") == 4
    assert shown.count("⟨0301⟩") == 56
    assert escape_invisible("e\u0302\u0301") == "e\u0302\u0301"


@pytest.mark.parametrize("letter", ["a", "a\u00a0", "\u2011", "\ufdfd", "第"])
def test_a_very_long_word_gets_break_points(letter: str) -> None:
    """No-break spaces do not count, and some letters are as wide as a line."""
    folded = add_break_points(letter * 500, lambda text: sum(300 if one == "\ufdfd" else 8 for one in text), 300)
    assert max(map(len, folded.split("\u200b"))) <= 20
    assert folded.count("\ufdfd") in (0, folded.count("\u200b") + 1)
    assert remove_break_points(folded) == letter * 500


@pytest.mark.parametrize("slash", ["/", "\\"])
def test_a_long_path_breaks_after_its_slashes(slash: str) -> None:
    names = ["C:", "documents", "another-folder", "spreadsheet.csv"]
    folded = add_break_points(slash.join(names), lambda text: 8 * len(text), 320)
    assert folded.split("\u200b") == [*(f"{one}{slash}" for one in names[:3]), "spreadsheet.csv"]


def test_ordinary_text_is_unchanged() -> None:
    ordinary = ("Grüße aus Zürich", "第一章", "a\tb\nc", "🙂", "naïve – “quoted”", "שלום")  # noqa: RUF001
    for text in (*ordinary, "1\u202f000\u00a0€", "一\u3000二"):
        assert escape_invisible(text) == text


@given(st.text())
def test_no_invisible_character_is_left(text: str) -> None:
    left = {unicodedata.category(character) for character in escape_invisible(text)} - {"Cc"}
    assert left.isdisjoint({"Cf", "Co", "Cs", "Zl", "Zp"})
    assert all(character in "\n\t" for character in escape_invisible(text) if unicodedata.category(character) == "Cc")


@given(st.text("ab<>&\"'/= \n", max_size=60))
def test_a_tooltip_shows_any_text_literally(text: str) -> None:
    shown = tooltip_text(text)
    if shown == text:
        return
    document = QTextDocument()
    document.setHtml(shown)
    assert "".join(document.toPlainText().split()) == "".join(text.split())


@pytest.mark.parametrize("text", ["3 < 4", "<b>Paid</b>", "<img src='x'>", "line\n<a href='x'>there</a>", "<qt>x"])
def test_markup_is_escaped(text: str, qapp: QApplication) -> None:
    shown = tooltip_text(text)
    assert "&lt;" in shown
    document = QTextDocument()
    document.setHtml(shown)
    assert document.toPlainText() == text


def test_plain_text_is_unchanged_in_tooltips() -> None:
    for text in ("one\ntwo", "5 > 4", "Tom & Anna", "&lt;"):
        assert tooltip_text(text) == text
