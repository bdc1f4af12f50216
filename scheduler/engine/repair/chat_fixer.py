"""A fixer behind a chat-completions API, local or hosted."""

import json
import threading
from collections.abc import Callable
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.http_client import Answer, request
from scheduler.engine.repair.failure_report import FailureReport
from scheduler.engine.repair.fixer import (
    BudgetSpentError,
    FixerFailedError,
    FixerUnreachableError,
    RepairCancelledError,
    read_script,
)
from scheduler.rules.failures import FailureClass
from scheduler.user_text import UserText

_MAX_RESPONSE_BYTES = 4_000_000
_MAX_ANSWER_TOKENS = 8_000
"""Servers refuse more than their model can produce."""
_MIN_ANSWER_TOKENS = 500
_LETTERS_PER_TOKEN = 3
"""A low estimate, for servers that do not report usage: it rather counts too many tokens."""


class ChatFixer:
    """For one repair: keeps count of the tokens left."""

    def __init__(
        self, *, base_url: str, model: str, key: Callable[[], str | None] = lambda: None, tokens: int = 40_000
    ) -> None:
        """The base URL includes the API version; the key is read from the keyring for each call."""
        self._base_url = base_url
        self._model = model
        self._key = key
        self._tokens = self._left = tokens
        self._done = threading.Event()
        self._has_given_up = False

    def repair(self, problem: FailureReport, seconds: float) -> str:
        sent = f"{problem.rules}\n{problem.prompt()}"
        room = self._left - _estimate_tokens(sent)
        if room < _MIN_ANSWER_TOKENS:
            raise BudgetSpentError(
                UserText("The limit of {tokens} tokens per repair leaves no room for an answer.", tokens=self._tokens)
            )
        body = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": problem.rules},
                {"role": "user", "content": problem.prompt()},
            ],
            "max_tokens": min(room, _MAX_ANSWER_TOKENS),
            "temperature": 0,
        }
        try:
            answer = self._ask(json.dumps(body).encode(), seconds)
        except ToolFailedError as error:
            if error.failure.kind is not FailureClass.UNSURE:
                raise FixerUnreachableError(UserText("The fixer could not be reached. {error}", error=error)) from error
            self._left -= _estimate_tokens(sent)
            raise FixerFailedError(UserText("The fixer gave no usable answer. {error}", error=error)) from error
        cost = _estimate_tokens(sent)
        try:
            if answer.status >= 300:
                raise FixerFailedError(
                    UserText(
                        "The fixer at {host} refused the request ({status}).", host=answer.host, status=answer.status
                    )
                )
            text, cost = _read_answer(answer, cost)
        finally:  # an answer costs tokens, whether it is usable or not
            self._left -= cost
        return read_script(text)

    def cancel(self) -> None:
        self._has_given_up = True
        self._done.set()

    def _ask(self, body: bytes, seconds: float) -> Answer:
        """On its own thread, which is abandoned when the repair is cancelled."""
        headers = {"Content-Type": "application/json"}
        if key := self._key():
            headers["Authorization"] = f"Bearer {key}"
        found: list[Answer | Exception] = []

        def ask() -> None:
            try:
                url = f"{self._base_url.rstrip('/')}/chat/completions"
                # A request may cost money, so it matters whether a failed one was sent.
                found.append(
                    request(
                        "POST",
                        url,
                        headers=headers,
                        body=body,
                        seconds=seconds,
                        max_bytes=_MAX_RESPONSE_BYTES,
                        acts=True,
                        max_redirects=0,
                    )
                )
            except Exception as error:  # noqa: BLE001  raised again in the waiting thread
                found.append(error)
            self._done.set()

        threading.Thread(target=ask, name="fixer", daemon=True).start()
        self._done.wait()
        if self._has_given_up:
            raise RepairCancelledError(UserText("The repair was cancelled."))
        self._done.clear()
        [answer] = found
        if isinstance(answer, Exception):
            raise answer
        if answer.incomplete:
            raise answer.incomplete
        return answer


def _read_answer(answer: Answer, sent: int) -> tuple[str, int]:
    """The answer's text and its cost in tokens."""
    try:
        parsed = answer.json()
        text = parsed["choices"][0]["message"]["content"]
    except (ToolFailedError, KeyError, IndexError, TypeError) as error:
        raise FixerFailedError(
            UserText("The fixer at {host} did not answer as a chat-completions server does.", host=answer.host)
        ) from error
    if not isinstance(text, str):
        raise FixerFailedError(UserText("The fixer at {host} answered without text.", host=answer.host))
    return text, _reported_tokens(parsed) or sent + _estimate_tokens(text)


def _estimate_tokens(text: str) -> int:
    return len(text) // _LETTERS_PER_TOKEN + 1


def _reported_tokens(parsed: Any) -> int:
    """The usage that the server reports; 0 if it does not."""
    usage = parsed.get("usage") if isinstance(parsed, dict) else None
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if type(total) is int and total > 0 else 0
