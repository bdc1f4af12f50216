"""Command lines as the user types them: split into words, and joined again, by the rules of the system's shell.

Only words: what a shell does with operators and variables is not done here.
"""

import shlex
import subprocess
import sys
from collections.abc import Sequence

_SPACES = " \t\r\n"


def split_for_posix(text: str, operators: str = "") -> list[str]:
    """ValueError if quotes do not match. Runs of `operators` are words of their own."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars=operators)
    lexer.whitespace_split, lexer.commenters = True, ""
    return list(lexer)


def split_for_windows(text: str, _operators: str = "") -> list[str]:
    """As programs there do it: a backslash is a character of a path, except before a quotation mark."""
    words: list[str] = []
    word: str | None = None
    is_quoted = False
    place = 0
    while place < len(text):
        backslashes = len(text) - place - len(text[place:].lstrip("\\"))
        place += backslashes
        sign = text[place : place + 1]
        if backslashes:
            halved, is_escaped = divmod(backslashes, 2) if sign == '"' else (backslashes, 0)
            word = (word or "") + "\\" * halved + '"' * is_escaped
            place += is_escaped
            continue
        place += 1
        if sign == '"':
            is_quoted = not is_quoted
            word = word or ""
        elif sign in _SPACES and not is_quoted:
            words += [] if word is None else [word]
            word = None
        else:
            word = (word or "") + sign
    if is_quoted:
        raise ValueError("No closing quotation")
    return words if word is None else [*words, word]


def join_for_windows(words: Sequence[str]) -> str:
    return subprocess.list2cmdline(words)


if sys.platform == "win32":  # pragma: no cover  not run here
    split_words, join_words = split_for_windows, join_for_windows
    SHELL = 'cmd /c "{command}"'
else:
    split_words, join_words = split_for_posix, shlex.join
    SHELL = "sh -c '{command}'"
    """How a command line with operators is run."""


def quote_word(word: str) -> str:
    return join_words([word])
