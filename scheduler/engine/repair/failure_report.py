"""What a fixer receives about a failure: script, error, end of the log and inputs, with private data left out."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from scheduler.connections.redaction import hide_home
from scheduler.rules.phases import RunPhase

_PRIVATE_FIELDS = frozenset({"text", "html", "body", "content", "summary", "description", "base64", "snippet"})
"""Fields that hold the text of mails and files."""
_SECRET_WORDS = ("password", "passwd", "secret", "token", "api_key", "apikey", "authorization", "cookie")
_NAMED_SECRET = re.compile(
    r"(?i)(\b(?:[\w-]*(?:password|passwd|secret|token|api[_-]?key))\b[\"']?\s*[=:]\s*|\bauthorization\s*[=:]\s*(?:\w+\s+)?)"
    r"(\"[^\"]*\"|'[^']*'|\S+)"
)
_URL_CREDENTIALS = re.compile(r"(?<=://)[^\s/@]+@")
_MAX_LOG_LETTERS = 4_000
_MAX_INPUT_LETTERS = 4_000
_PLACEHOLDER = "(secret {}, left out)"
_METHODS = {
    RunPhase.PREPARING: "prepare",
    RunPhase.PREPARED: "mutate",
    RunPhase.MUTATING: "mutate",
    RunPhase.MUTATED: "next",
    RunPhase.EMITTING: "next",
}
"""The method of the script that was called; a job or a producer is a single function."""
_RULES = """You repair one Python script of Dayhand, which runs recurring chores. Answer with the whole new script in
one ```python block and nothing else. Change as little as possible. Keep the workflow's name, its connections, topics,
handlers, approve= and id= settings, the tools and commands it uses and its packages: a script that changes them, or
hides what it does (getattr, exec, other names for ctx), is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport:
    script: str
    sent_script: str = ""
    """The script as it is sent, if that differs."""
    error: str
    traceback: str = ""
    handler: str
    phase: RunPhase
    log: str = ""
    inputs: Any = None
    notes: tuple[str, ...] = ()
    """Why earlier answers could not be used."""

    def prompt(self) -> str:
        """All that is sent; the user can review it before."""
        method = _METHODS.get(self.phase)
        parts = [
            f"The script:\n```python\n{self.sent_script or self.script}\n```",
            f"{self.handler} failed{f' in {method}' if method else ''}: {self.error}",
            f"Traceback:\n{self.traceback}" if self.traceback else "",
            f"The end of its log:\n{self.log}" if self.log else "",
            f"What it worked on:\n{json.dumps(self.inputs, ensure_ascii=False)[:_MAX_INPUT_LETTERS]}"
            if self.inputs
            else "",
            "\n".join(f"Your last answer could not be used: {note}" for note in self.notes),
        ]
        return "\n\n".join(part for part in parts if part)

    @property
    def rules(self) -> str:
        return _RULES

    @property
    def full_text(self) -> str:
        """Rules and prompt, as shown to the user."""
        return f"{self.rules}\n\n{self.prompt()}"


def redact_values(value: Any) -> Any:
    """The same shape, without secrets and without the text of mails and files."""
    if isinstance(value, dict):
        return {name: _hide_value(str(name).lower(), one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [redact_values(one) for one in value]
    return redact_named_secrets(value) if isinstance(value, str) else value


def _hide_value(name: str, value: Any) -> Any:
    if is_secret_name(name):
        return "(a secret, left out)"
    if name in _PRIVATE_FIELDS and isinstance(value, str):
        return f"({len(value)} characters, left out)"
    return redact_values(value)


def is_secret_name(name: str) -> bool:
    """Whether a value of such a name is likely private."""
    return any(word in name.lower() for word in _SECRET_WORDS)


def redact_named_secrets(text: str) -> str:
    """Remove what follows a name such as password or token, and credentials in an address."""
    return _NAMED_SECRET.sub(lambda match: f"{match[1]}(left out)", _URL_CREDENTIALS.sub("(left out)@", text))


def redact_report(text: str) -> str:
    """Remove named secrets and the user's home folder."""
    return redact_named_secrets(hide_home(text))


def log_excerpt(log: str) -> str:
    return redact_report(log)[-_MAX_LOG_LETTERS:]


def mask_secrets(script: str) -> str:
    """The script with a placeholder for every string under a name such as password or token."""
    lines = script.encode().splitlines(keepends=True)
    for number, node in reversed([*enumerate(_secret_strings(script), 1)]):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before, after = lines[first][: node.col_offset], lines[last][node.end_col_offset :]
        lines[first : last + 1] = [before + f'"{_PLACEHOLDER.format(number)}"'.encode() + after]
    return b"".join(lines).decode()


def unmask_secrets(answer: str, script: str) -> str:
    """The answer with the script's own strings in place of the placeholders."""
    for number, node in enumerate(_secret_strings(script), 1):
        written, placeholder = ast.get_source_segment(script, node) or "", _PLACEHOLDER.format(number)
        for quote in ('"', "'"):
            answer = answer.replace(f"{quote}{placeholder}{quote}", written)
    return answer


def _secret_strings(script: str) -> list[ast.Constant]:
    """In source order."""
    try:
        found = [
            value for node in ast.walk(ast.parse(script)) for name, value in _named_values(node) if is_secret_name(name)
        ]
    except (SyntaxError, ValueError, RecursionError):
        return []
    texts = [one for one in found if isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value]
    return sorted(texts, key=lambda one: (one.lineno, one.col_offset))


def _named_values(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((one.id, value) for one in targets if isinstance(one, ast.Name))
        case (
            ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) | ast.keyword(arg=str(name), value=value)
        ):
            yield name, value
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant):
                    yield str(key.value), value
