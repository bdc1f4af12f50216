"""Asking Slack, and what its answers mean: it refuses with a success and one word."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from scheduler.connections import web
from scheduler.connections.addresses import parts_of
from scheduler.connections.connector import Call, ToolFailedError
from scheduler.connections.told import Told
from scheduler.connections.web_errors import broken, refusal, retry_after
from scheduler.rules.failures import Failure, FailureClass

SLACK = "https://slack.com"

_LOGIN = frozenset(
    {"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked", "two_factor_setup_required"}
)
_NOT_ALLOWED = frozenset(
    {"access_denied", "ekm_access_denied", "missing_scope", "no_permission", "not_allowed_token_type"}
    | {"not_in_channel", "restricted_action", "team_access_not_granted"}
)
_BUSY = frozenset({"rate_limited", "ratelimited"})
_BROKEN = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
_KNOWN = _LOGIN | _NOT_ALLOWED | _BUSY | _BROKEN


def ask(call: Call, method: str, asked: Mapping[str, Any], *, acts: bool = False) -> Told:
    """The answer of one of Slack's methods; ToolFailedError if it refuses or cannot be reached.

    Nested values are written as JSON, the rest as a form, which every method takes.
    """
    token = call.settings.get("access_token")
    if not token:
        raise ToolFailedError.because(FailureClass.AUTH, f"Nobody is signed in to {call.connection}. Connect it.")
    form = {name: value if isinstance(value, str) else json.dumps(value) for name, value in asked.items()}
    answer = web.request(
        "POST",
        f"{place_of(call.settings)}/api/{method}",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/x-www-form-urlencoded"},
        body=urlencode(form).encode(),
        seconds=call.seconds,
        acts=acts,
        follow=0,
    )
    return _read(answer, call.now)


def _read(answer: web.Answer, now: datetime) -> Told:
    """Done is what Slack says is done: 200, and JSON with "ok": true. It refuses with 200 as well, false and a word.

    Whatever else comes as a success is not Slack's, such as the page of a network that asks for a login, and leaves
    open whether an action was done.
    """
    if answer.status != 200:
        raise refusal(answer.status, answer.headers, answer.host, acts=answer.acts, now=now)
    given = answer.told()
    if given.get("ok") is True:
        return given
    word = given.get("error")
    if not isinstance(word, str) or not word or (given.get("ok") is not False and word not in _KNOWN):
        raise given.strange()
    raise _refused(answer, word[:100], now)


def place_of(settings: Mapping[str, Any]) -> str:
    return str(settings.get("base_url") or SLACK).rstrip("/")


def account_of(call: Call) -> str:
    """The workspace, by its own address."""
    given = ask(call, "auth.test", {})
    return parts_of(given.text("url")).hostname or given.text("team")


def _refused(answer: web.Answer, word: str, now: datetime) -> ToolFailedError:
    """The word decides; the sentences are ours."""
    host = answer.host
    if word in _BUSY:
        wait = retry_after(answer.headers, now)
        sentence = f"{host} asks us to be slower ({word})."
        return ToolFailedError(Failure(kind=FailureClass.TRANSIENT, sentence=sentence, retry_after=wait))
    if word in _BROKEN:
        return broken(f"{host} failed while it worked on this ({word}).", acts=answer.acts)
    if word in _LOGIN:
        return ToolFailedError.because(FailureClass.AUTH, f"{host} did not accept the login ({word}). Connect again.")
    if word in _NOT_ALLOWED:
        return ToolFailedError.because(
            FailureClass.PERMISSION, f"{host} does not allow this ({word}). Allow it there, or connect another account."
        )
    return ToolFailedError.because(FailureClass.LOGIC, f"{host} refused what was asked ({word}).")
