"""Text in cells that spreadsheets would run as a formula, such as the subject of a mail that begins with =."""

import re

_FORMULA = re.compile(r"[=@\t\r\uff1d\uff20]|[-+\uff0d\uff0b](?![-\d\s.,:/()%]*\Z)")
"""A number, a date or a phone number may begin with a sign."""


def escape_formula(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet would run it, or if it looks like such a text already."""
    return f"'{text}" if _FORMULA.match(text.lstrip("'")) else text


def unescape_formula(text: str) -> str:
    """The text as it was before `escape_formula`."""
    return text[1:] if text.startswith("'") and _FORMULA.match(text.lstrip("'")) else text
