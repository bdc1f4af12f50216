"""What a fixer is told of a failure: script, error, the end of the log and recent inputs, without what is private."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PRIVATE = frozenset({"text", "html", "body", "content", "summary", "description", "base64", "snippet"})
"""Where the words of mails and files are."""
_SECRET = ("password", "passwd", "secret", "token", "api_key", "apikey", "authorization", "cookie")
_IN_TEXT = re.compile(
    r"(?i)(\b(?:[\w-]*(?:password|passwd|secret|token|api[_-]?key))\b[\"']?\s*[=:]\s*|\bauthorization\s*[=:]\s*(?:\w+\s+)?)"
    r"(\"[^\"]*\"|'[^']*'|\S+)"
)
_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@]+@")
_LONGEST_LOG = 4_000
_LONGEST_INPUT = 4_000
_RULES = """You repair one Python script of Dayhand, which runs recurring chores. Answer with the whole new script in
one ```python block and nothing else. Change as little as possible. Keep the workflow's name, its connections, topics,
handlers, approve= and id= settings, the tools and commands it uses and its packages: a script that changes them, or
hides what it does (getattr, exec, other names for ctx), is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    script: str
    shown: str = ""
    """The script as it is sent, where that is another."""
    error: str
    traceback: str = ""
    handler: str
    phase: str
    log: str = ""
    inputs: Any = None
    notes: tuple[str, ...] = ()
    """Why what was answered before could not be used."""

    def prompt(self) -> str:
        """All that is sent; the person can look at it before."""
        parts = [
            f"The script:\n```python\n{self.shown or self.script}\n```",
            f"{self.handler} failed in {self.phase}: {self.error}",
            f"Traceback:\n{self.traceback}" if self.traceback else "",
            f"The end of its log:\n{self.log}" if self.log else "",
            f"What it worked on:\n{json.dumps(self.inputs, ensure_ascii=False)[:_LONGEST_INPUT]}"
            if self.inputs
            else "",
            "\n".join(f"Your last answer could not be used: {note}" for note in self.notes),
        ]
        return "\n\n".join(part for part in parts if part)

    @property
    def rules(self) -> str:
        return _RULES

    @property
    def whole(self) -> str:
        """Both, as a person reads it."""
        return f"{self.rules}\n\n{self.prompt()}"


def hide_private(value: Any) -> Any:
    """The same shape, without secrets and without the words of mails and files."""
    if isinstance(value, dict):
        return {name: _hidden(str(name).lower(), one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [hide_private(one) for one in value]
    return hide_in_text(value) if isinstance(value, str) else value


def _hidden(name: str, value: Any) -> Any:
    if is_secret_name(name):
        return "(a secret, left out)"
    if name in _PRIVATE and isinstance(value, str):
        return f"({len(value)} letters, left out)"
    return hide_private(value)


def is_secret_name(name: str) -> bool:
    """Whether what stands under such a name is likely nobody else's business."""
    return any(word in name.lower() for word in _SECRET)


def hide_in_text(text: str) -> str:
    """Without what stands behind a name such as password or token, or before the server in an address."""
    return _IN_TEXT.sub(lambda match: f"{match[1]}(left out)", _IN_ADDRESS.sub("(left out)@", text))


def hide_in_report(text: str) -> str:
    """The same of what a computer says, which also names the person's own folder."""
    home = str(Path.home())
    return hide_in_text(text.replace(home, "~") if len(home) > 1 else text)


def end_of(log: str) -> str:
    return hide_in_report(log)[-_LONGEST_LOG:]
