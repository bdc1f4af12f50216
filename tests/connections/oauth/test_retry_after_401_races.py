"""Which calls are repeated with a refreshed login. The refresh is faked here."""

from collections.abc import Mapping
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, Tool, ToolFailedError
from scheduler.connections.oauth.token_refresh import retry_after_401, with_retry_after_401
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call


class Renewer:
    """Replaces the keeper."""

    def __init__(self, renewed: Mapping[str, Any] | None) -> None:
        self.renewed = renewed
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def renew(self, connection: str, refused: Mapping[str, Any]) -> Mapping[str, Any] | None:
        self.calls.append((connection, dict(refused)))
        return self.renewed


class Service:
    """Fails with this class unless the token is right."""

    def __init__(self, kind: FailureClass, right: str = "new") -> None:
        self.kind, self.right = kind, right
        self.calls: list[tuple[str, float]] = []

    def __call__(self, one: Call) -> str:
        self.calls.append((one.settings["access_token"], one.seconds))
        if one.settings["access_token"] != self.right:
            raise ToolFailedError.because(self.kind, f"Not {one.settings['access_token']}.")
        return "done"


def test_a_rejected_login_is_refreshed_and_the_caller_sees_the_new_one() -> None:
    service, renewer = Service(FailureClass.AUTH), Renewer({"access_token": "new"})
    tool_call = call({"access_token": "old", "user": "me"})
    assert retry_after_401(service, tool_call, renewer) == "done"
    assert [token for token, _ in service.calls] == ["old", "new"]
    assert renewer.calls == [("kind:name", {"access_token": "old", "user": "me"})]
    assert tool_call.settings == {"access_token": "new", "user": "me"}


@pytest.mark.parametrize("kind", [kind for kind in FailureClass if kind is not FailureClass.AUTH])
def test_other_failures_are_not_retried(kind: FailureClass) -> None:
    """Some of them leave the outcome unknown."""
    service, renewer = Service(kind), Renewer({"access_token": "new"})
    with pytest.raises(ToolFailedError):
        retry_after_401(service, call({"access_token": "old"}), renewer)
    assert (len(service.calls), renewer.calls) == (1, [])


@pytest.mark.parametrize(("renewed", "sentence"), [(None, "Not old."), ({"access_token": "other"}, "Not other.")])
def test_a_call_is_retried_at_most_once(renewed: Mapping[str, Any] | None, sentence: str) -> None:
    service, renewer = Service(FailureClass.AUTH), Renewer(renewed)
    with pytest.raises(ToolFailedError) as failed:
        retry_after_401(service, call({"access_token": "old"}), renewer)
    assert (failed.value.failure.kind, str(failed.value)) == (FailureClass.AUTH, sentence)
    assert (len(service.calls), len(renewer.calls)) == (1 if renewed is None else 2, 1)


def test_the_retry_gets_the_full_timeout_again() -> None:
    """A long upload may be rejected at its end, when nothing of 30 seconds would be left."""
    service = Service(FailureClass.AUTH)
    retry_after_401(service, call({"access_token": "old"}), Renewer({"access_token": "new"}))
    assert [seconds for _, seconds in service.calls] == [30, 30]


def test_a_tool_and_its_checker_retry() -> None:
    service = Service(FailureClass.AUTH)
    renewer = Renewer({"access_token": "new"})

    def check(one: Call) -> Checked:
        return Checked(happened=True, result=service(one))

    tool = with_retry_after_401(
        Tool(name="do", help="", parameters={}, run=service, mutating=True, check=check), renewer
    )
    assert tool.run(call({"access_token": "old"})) == "done"
    assert tool.check is not None
    assert tool.check(call({"access_token": "old"})) == Checked(happened=True, result="done")
    assert len(renewer.calls) == 2
    plain = Tool(name="look", help="", parameters={}, run=service)
    assert with_retry_after_401(plain, renewer).check is None
