"""A fixer that speaks the chat-completions protocol to any base URL, of this computer or a hosted one."""

import json
import threading
from collections.abc import Callable
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.web import Answer, request
from scheduler.engine.fixing.fixer import FixerFailedError, GivenUpError, NotAskedError, SpentError, read_script
from scheduler.engine.fixing.problem import Problem
from scheduler.rules.failures import FailureClass

_MOST = 4_000_000
_MOST_ANSWERED = 8_000
"""Tokens of one answer: servers refuse more than their model can give."""
_LEAST_ANSWERED = 500
_LETTERS = 3
"""So few letters are taken for a token where the server does not say how many it counted: rather too many tokens."""


class ChatFixer:
    """For one repair: what is left of its tokens is counted from answer to answer."""

    def __init__(
        self, *, base_url: str, model: str, key: Callable[[], str | None] = lambda: None, tokens: int = 40_000
    ) -> None:
        """The base URL goes up to and with the version; the key comes from the keyring, each time anew."""
        self._base_url = base_url
        self._model = model
        self._key = key
        self._tokens = self._left = tokens
        self._heard = threading.Event()
        self._has_given_up = False

    def mend(self, problem: Problem, seconds: float) -> str:
        sent = f"{problem.rules}\n{problem.prompt()}"
        room = self._left - _guess(sent)
        if room < _LEAST_ANSWERED:
            raise SpentError(f"The limit of {self._tokens} tokens for one repair leaves no room for an answer.")
        asked = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": problem.rules},
                {"role": "user", "content": problem.prompt()},
            ],
            "max_tokens": min(room, _MOST_ANSWERED),
            "temperature": 0,
        }
        try:
            answer = self._ask(json.dumps(asked).encode(), seconds)
        except ToolFailedError as error:
            if error.failure.kind is not FailureClass.UNSURE:
                raise NotAskedError(f"The fixer could not be asked. {error}") from error
            self._left -= _guess(sent)
            raise FixerFailedError(f"The fixer gave no answer that can be used. {error}") from error
        cost = _guess(sent)
        try:
            if answer.status >= 300:
                raise FixerFailedError(f"The fixer at {answer.host} refused ({answer.status}).")
            text, cost = _read(answer, cost)
        finally:  # what was heard is paid for, whether it is of use or not
            self._left -= cost
        return read_script(text)

    def give_up(self) -> None:
        self._has_given_up = True
        self._heard.set()

    def _ask(self, body: bytes, seconds: float) -> Answer:
        """On a thread of its own, which nobody waits for once it was given up."""
        headers = {"Content-Type": "application/json"}
        if key := self._key():
            headers["Authorization"] = f"Bearer {key}"
        found: list[Answer | Exception] = []

        def ask() -> None:
            try:
                url = f"{self._base_url.rstrip('/')}/chat/completions"
                # Asking may cost something, so what breaks once it was sent is told apart from what nobody heard.
                found.append(
                    request("POST", url, headers=headers, body=body, seconds=seconds, most=_MOST, acts=True, follow=0)
                )
            except Exception as error:  # noqa: BLE001  handed to whoever waits
                found.append(error)
            self._heard.set()

        threading.Thread(target=ask, name="fixer", daemon=True).start()
        self._heard.wait()
        if self._has_given_up:
            raise GivenUpError("Nobody waits for the fixer any longer.")
        self._heard.clear()
        [answer] = found
        if isinstance(answer, Exception):
            raise answer
        if answer.incomplete:
            raise answer.incomplete
        return answer


def _read(answer: Answer, sent: int) -> tuple[str, int]:
    """What was answered, and what that cost."""
    try:
        told = answer.json()
        text = told["choices"][0]["message"]["content"]
    except (ToolFailedError, KeyError, IndexError, TypeError) as error:
        raise FixerFailedError(f"The fixer at {answer.host} answered in another way than was agreed.") from error
    if not isinstance(text, str):
        raise FixerFailedError(f"The fixer at {answer.host} answered without a text.")
    return text, _counted(told) or sent + _guess(text)


def _guess(text: str) -> int:
    return len(text) // _LETTERS + 1


def _counted(told: Any) -> int:
    """What the server says that it cost; nothing if it does not say."""
    usage = told.get("usage") if isinstance(told, dict) else None
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if type(total) is int and total > 0 else 0
