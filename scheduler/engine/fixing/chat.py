"""A fixer that speaks the chat-completions protocol to any base URL, of this computer or a hosted one."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web import request
from scheduler.engine.fixing.fixer import FixerFailedError, read_script
from scheduler.engine.fixing.problem import Problem

_MOST = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatFixer:
    base_url: str
    """Up to and with the version, as in http://localhost:11434/v1."""
    model: str
    key: Callable[[], str | None] = lambda: None
    """From the keyring, each time anew."""
    most_tokens: int = 8_000

    def mend(self, problem: Problem, seconds: float) -> str:
        asked = {
            "model": self.model,
            "messages": [
                {"role": "system", "content": problem.rules},
                {"role": "user", "content": problem.prompt()},
            ],
            "max_tokens": self.most_tokens,
            "temperature": 0,
        }
        headers = {"Content-Type": "application/json"}
        if key := self.key():
            headers["Authorization"] = f"Bearer {key}"
        try:
            answer = request(
                "POST",
                f"{self.base_url.rstrip('/')}/chat/completions",
                headers=headers,
                body=json.dumps(asked).encode(),
                seconds=seconds,
                most=_MOST,
                follow=0,
            )
            if answer.status >= 300:
                raise FixerFailedError(f"The fixer at {answer.host} refused ({answer.status}).")
            told = answer.json()
        except ToolFailedError as error:
            raise FixerFailedError(f"The fixer could not be asked. {error}") from error
        try:
            text = told["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError) as error:
            raise FixerFailedError(f"The fixer at {answer.host} answered in another way than was agreed.") from error
        if not isinstance(text, str):
            raise FixerFailedError(f"The fixer at {answer.host} answered without a text.")
        return read_script(text)
