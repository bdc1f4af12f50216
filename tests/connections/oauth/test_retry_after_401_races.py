"""What is asked again with a renewed login, and what is not. The one that renews is a stand-in here."""

from collections.abc import Mapping
from typing import Any

import pytest

from scheduler.connections.connector import Call, Checked, Tool, ToolFailedError
from scheduler.connections.oauth.refused import ask_twice, renewable
from scheduler.rules.failures import FailureClass
from tests.connections.calls import call


class Renewer:
    """Stands in for the keeper, which other tests have."""

    def __init__(self, renewed: Mapping[str, Any] | None) -> None:
        self.renewed = renewed
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def renew(self, connection: str, refused: Mapping[str, Any]) -> Mapping[str, Any] | None:
        self.asked.append((connection, dict(refused)))
        return self.renewed


class Service:
    """Refuses in that way whoever has not the right token."""

    def __init__(self, kind: FailureClass, right: str = "new") -> None:
        self.kind, self.right = kind, right
        self.calls: list[tuple[str, float]] = []

    def __call__(self, one: Call) -> str:
        self.calls.append((one.settings["access_token"], one.seconds))
        if one.settings["access_token"] != self.right:
            raise ToolFailedError.because(self.kind, f"Not {one.settings['access_token']}.")
        return "done"


def test_a_refused_login_is_renewed_and_the_caller_sees_the_one_that_was_used() -> None:
    service, renewer = Service(FailureClass.AUTH), Renewer({"access_token": "new"})
    asked = call({"access_token": "old", "user": "me"})
    assert ask_twice(service, asked, renewer) == "done"
    assert [token for token, _ in service.calls] == ["old", "new"]
    assert renewer.asked == [("kind:name", {"access_token": "old", "user": "me"})]
    assert asked.settings == {"access_token": "new", "user": "me"}


@pytest.mark.parametrize("kind", [kind for kind in FailureClass if kind is not FailureClass.AUTH])
def test_no_other_failure_is_asked_again(kind: FailureClass) -> None:
    """Of some of them nobody knows whether it happened."""
    service, renewer = Service(kind), Renewer({"access_token": "new"})
    with pytest.raises(ToolFailedError):
        ask_twice(service, call({"access_token": "old"}), renewer)
    assert (len(service.calls), renewer.asked) == (1, [])


@pytest.mark.parametrize(("renewed", "said"), [(None, "Not old."), ({"access_token": "other"}, "Not other.")])
def test_it_is_asked_twice_at_most(renewed: Mapping[str, Any] | None, said: str) -> None:
    service, renewer = Service(FailureClass.AUTH), Renewer(renewed)
    with pytest.raises(ToolFailedError) as failed:
        ask_twice(service, call({"access_token": "old"}), renewer)
    assert (failed.value.failure.kind, str(failed.value)) == (FailureClass.AUTH, said)
    assert (len(service.calls), len(renewer.asked)) == (1 if renewed is None else 2, 1)


def test_the_second_time_may_take_as_long_without_progress_as_the_first() -> None:
    """An upload of minutes may be refused at its end; what is left of 30 seconds would be none."""
    service = Service(FailureClass.AUTH)
    ask_twice(service, call({"access_token": "old"}), Renewer({"access_token": "new"}))
    assert [seconds for _, seconds in service.calls] == [30, 30]


def test_a_tool_and_its_checker_ask_twice() -> None:
    service = Service(FailureClass.AUTH)
    renewer = Renewer({"access_token": "new"})

    def check(one: Call) -> Checked:
        return Checked(happened=True, result=service(one))

    tool = renewable(Tool(name="do", help="", parameters={}, run=service, mutating=True, check=check), renewer)
    assert tool.run(call({"access_token": "old"})) == "done"
    assert tool.check is not None
    assert tool.check(call({"access_token": "old"})) == Checked(happened=True, result="done")
    assert len(renewer.asked) == 2
    plain = Tool(name="look", help="", parameters={}, run=service)
    assert renewable(plain, renewer).check is None
