"""Python's most frequent errors in plain words; the exact error is in the technical details of its run."""

import re
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication

translate = QCoreApplication.translate
_ERROR = re.compile(r"([A-Z]\w*(?:Error|Exception|Interrupt)): ?(.*)", re.ASCII | re.DOTALL)
_QUOTED = re.compile(r"['\"](.+)['\"]", re.DOTALL)
_AS_SAID = ("ValueError", "TypeError", "AttributeError", "RuntimeError", "OSError", "LookupError", "AssertionError")
"""Python's text says enough without the kind of error."""


def explain_error(message: str) -> str:
    """`KeyError: 'total'` as `"total" is missing`; unchanged if it is no error of Python, or a rare one."""
    found = _ERROR.fullmatch(message.strip())
    if found is None:
        return message
    kind, text = found.groups()
    if kind in _AS_SAID:
        return text or message
    quoted = _QUOTED.search(text)
    what = text if quoted is None else quoted[1]
    words = _WORDS.get(kind)
    return message if words is None or not what else words().format(what=what)


_WORDS: dict[str, Callable[[], str]] = {
    "KeyError": lambda: translate("script errors", '"{what}" is missing'),
    "NameError": lambda: translate("script errors", '"{what}" is not defined'),
    "UnboundLocalError": lambda: translate("script errors", '"{what}" has no value yet'),
    "IndexError": lambda: translate("script errors", "a list is shorter than expected"),
    "ZeroDivisionError": lambda: translate("script errors", "it divides by zero"),
    "FileNotFoundError": lambda: translate("script errors", "{what} does not exist"),
    "FileExistsError": lambda: translate("script errors", "{what} already exists"),
    "NotADirectoryError": lambda: translate("script errors", "{what} is not a folder"),
    "IsADirectoryError": lambda: translate("script errors", "{what} is a folder, not a file"),
    "PermissionError": lambda: translate("script errors", "no permission to use {what}"),
    "ModuleNotFoundError": lambda: translate("script errors", "the package {what} is not installed"),
    "UnicodeDecodeError": lambda: translate("script errors", "the text has an unexpected encoding"),
    "JSONDecodeError": lambda: translate("script errors", "the data is not valid JSON"),
}
