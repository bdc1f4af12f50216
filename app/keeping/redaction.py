"""Takes out of a log what is nobody else's business: addresses, accounts, values, and what an error quotes."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HIDDEN = "•••"
_SHORTEST = 4
"""Values with fewer letters would take parts of ordinary words with them."""
_ERROR = re.compile(r"^(?P<kind>[\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Timeout)): .*", re.MULTILINE)
_RULES = (
    (re.compile(r"\b(\w+)://\S+"), rf"\1://{HIDDEN}"),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), HIDDEN),
    (re.compile(r"(?i)\b(authorization)(\W{1,4})(?:(?:bearer|basic|digest)\s+)?[^\s,;]+"), rf"\1\2{HIDDEN}"),
    (
        re.compile(r"(?i)\b(pass\w*|token\w*|secret\w*|bearer|cookie|api[_-]?key\w*)(\W{1,4})[^\s,;]+"),
        rf"\1\2{HIDDEN}",
    ),
    (re.compile(r"(?<![\w/.])(?=\S*\d)[\w+=-]{24,}"), HIDDEN),
)
_FILE = re.compile(r'^(  File )"([^"]+)"', re.MULTILINE)
_QUOTED = re.compile(r"'[^'\n]+'|\"[^\"\n]+\"|“[^”\n]+”")


def redact(text: str, known: Iterable[str] = (), home: Path | None = None) -> str:
    """What an error says is left out, since it may quote anything; its kind and the lines of code stay."""
    for value in sorted({one for one in known if len(one) >= _SHORTEST}, key=len, reverse=True):
        text = text.replace(value, HIDDEN)
    text = _ERROR.sub(rf"\g<kind>: {HIDDEN}", text)
    for rule, instead in _RULES:
        text = rule.sub(instead, text)
    text = "\n".join(line if _FILE.match(line) else _QUOTED.sub(HIDDEN, line) for line in text.split("\n"))
    return text.replace(str(home or Path.home()), "~")


def list_values(settings: Any) -> Iterator[str]:
    """Every text and number among the settings of a connection."""
    if isinstance(settings, dict):
        settings = list(settings.values())
    if isinstance(settings, list):
        for one in settings:
            yield from list_values(one)
    elif settings is not None and not isinstance(settings, bool):
        yield str(settings)
