"""Steps that are alike are told together, and nothing is lost."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scheduler.engine.workflows.trying.steps import MOST_ALIKE, Action, Step, gather

START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
ADD = Action(connection="table:out", tool="append", parameters={})


def step(handler: str, minute: int, summary: str | None = None, status: str = "committed", **more: Any) -> Step:
    at = START + timedelta(minutes=minute)
    told: dict[str, Any] = {"error": None, "asked": None, "action": None, "commands": (), "log": "", **more}
    return Step(at=at, until=at, handler=handler, status=status, summary=summary, **told)


def test_of_many_alike_the_first_are_told_and_the_rest_counted() -> None:
    """Also where quiet ones lie in between, and without losing one that is of another kind."""
    many = [one for n in range(0, 3000, 3) for one in (step("look", n), step("act", n + 1, f"Did {n}"))]
    told = list(gather([*many, step("act", 3000, "No", "failed:logic")]))
    assert len(told) == 2 * MOST_ALIKE + 3
    assert [one.summary for one in told if one.status == "failed:logic"] == ["No"]
    [looked, acted] = told[-2:]
    assert (looked.handler, looked.times, looked.until) == ("look", 980, START + timedelta(minutes=2997))
    assert (acted.handler, acted.times, acted.until) == ("act", 980, START + timedelta(minutes=2998))
    assert sum(one.times for one in told) == len(many) + 1


def test_what_happens_in_between_is_told_where_it_happened() -> None:
    told = gather([step("a", 0), step("b", 1), step("a", 2), step("c", 3, "Did it"), step("a", 4)])
    assert [(one.handler, one.times) for one in told] == [("a", 2), ("b", 1), ("c", 1), ("a", 1)]


def test_of_what_was_told_together_each_one_counts() -> None:
    """Stretches of quiet runs, of which there were many: the rest of them is as many runs as it was."""
    stretches = [one for n in range(0, 90, 3) for one in (step("a", n), step("a", n + 1), step("b", n + 2, "Did it"))]
    assert sum(one.times for one in gather(stretches)) == len(stretches)
    [rest] = [one for one in gather(stretches) if one.handler == "a" and one.times > 2]
    assert rest.times == 2 * (30 - MOST_ALIKE)


@pytest.mark.parametrize(
    "something",
    [
        {"summary": "Did it"},
        {"error": "No."},
        {"asked": "May I?"},
        {"action": ADD},
        {"commands": (("true",),)},
        {"log": "said\n"},
        {"status": "paused:transient"},
    ],
)
def test_a_step_is_quiet_only_if_there_is_nothing_to_tell_of_it(something: dict[str, Any]) -> None:
    assert step("a", 0).is_quiet and step("a", 0, log=" \n").is_quiet
    assert not step("a", 0, **something).is_quiet


@pytest.mark.parametrize(
    "other",
    [
        {"handler": "b"},
        {"status": "failed:logic"},
        {"summary": None},
        {"asked": "May I?"},
        {"action": ADD},
        {"commands": (("true",),)},
    ],
)
def test_what_differs_in_more_than_words_is_never_counted_as_the_same(other: dict[str, Any]) -> None:
    """Whoever reads the list sees each kind at least once, with all that it would do."""
    many = [step("a", minute, f"Did {minute}") for minute in range(2 * MOST_ALIKE)]
    odd = step(**{"handler": "a", "minute": 100, "summary": "Did it", **other})
    assert odd in list(gather([*many, odd]))


@pytest.mark.parametrize("one", [{"connection": "table:b"}, {"tool": "read"}])
def test_another_tool_or_connection_is_another_kind(one: dict[str, str]) -> None:
    given = {"connection": "table:a", "tool": "append", "parameters": {}}
    many = [step("a", minute, "Did it", action=Action(**given)) for minute in range(2 * MOST_ALIKE)]
    odd = step("a", 100, "Did it", action=Action(**{**given, **one}))
    assert odd in list(gather([*many, odd]))


def test_other_parameters_are_the_same_kind() -> None:
    many = [
        step("a", minute, action=Action(connection="table:a", tool="append", parameters={"n": minute}))
        for minute in range(2 * MOST_ALIKE)
    ]
    assert len(list(gather(many))) == MOST_ALIKE + 1
