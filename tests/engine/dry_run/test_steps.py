"""Similar steps are grouped, and nothing is lost."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scheduler.engine.dry_run.steps import MAX_SIMILAR, DryRunAction, DryRunStep, group_similar

START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
ADD = DryRunAction(connection="table:out", tool="append", parameters={})


def step(handler: str, minute: int, summary: str | None = None, status: str = "committed", **more: Any) -> DryRunStep:
    at = START + timedelta(minutes=minute)
    steps: dict[str, Any] = {"error": None, "asked": None, "action": None, "commands": (), "log": "", **more}
    return DryRunStep(at=at, until=at, handler=handler, status=status, summary=summary, **steps)


def test_the_first_similar_steps_are_listed_and_the_rest_counted() -> None:
    """Even with quiet steps in between, and without losing a different one."""
    many = [one for n in range(0, 3000, 3) for one in (step("look", n), step("act", n + 1, f"Did {n}"))]
    steps = list(group_similar([*many, step("act", 3000, "No", "failed:logic")]))
    assert len(steps) == 2 * MAX_SIMILAR + 3
    assert [one.summary for one in steps if one.status == "failed:logic"] == ["No"]
    [read, acted] = steps[-2:]
    assert (read.handler, read.times, read.until) == ("look", 980, START + timedelta(minutes=2997))
    assert (acted.handler, acted.times, acted.until) == ("act", 980, START + timedelta(minutes=2998))
    assert sum(one.times for one in steps) == len(many) + 1


def test_other_steps_keep_their_place() -> None:
    steps = group_similar([step("a", 0), step("b", 1), step("a", 2), step("c", 3, "Did it"), step("a", 4)])
    assert [(one.handler, one.times) for one in steps] == [("a", 2), ("b", 1), ("c", 1), ("a", 1)]


def test_grouped_quiet_runs_are_all_counted() -> None:
    """The step for the rest counts every run of the grouped stretches."""
    stretches = [one for n in range(0, 90, 3) for one in (step("a", n), step("a", n + 1), step("b", n + 2, "Did it"))]
    assert sum(one.times for one in group_similar(stretches)) == len(stretches)
    [rest] = [one for one in group_similar(stretches) if one.handler == "a" and one.times > 2]
    assert rest.times == 2 * (30 - MAX_SIMILAR)


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
def test_a_step_is_quiet_only_if_there_is_nothing_to_report(something: dict[str, Any]) -> None:
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
def test_steps_that_differ_in_more_than_text_are_not_grouped(other: dict[str, Any]) -> None:
    """The list shows each kind at least once, with its action."""
    many = [step("a", minute, f"Did {minute}") for minute in range(2 * MAX_SIMILAR)]
    odd = step(**{"handler": "a", "minute": 100, "summary": "Did it", **other})
    assert odd in list(group_similar([*many, odd]))


@pytest.mark.parametrize("one", [{"connection": "table:b"}, {"tool": "read"}])
def test_another_tool_or_connection_is_not_grouped(one: dict[str, str]) -> None:
    given = {"connection": "table:a", "tool": "append", "parameters": {}}
    many = [step("a", minute, "Did it", action=DryRunAction(**given)) for minute in range(2 * MAX_SIMILAR)]
    odd = step("a", 100, "Did it", action=DryRunAction(**{**given, **one}))
    assert odd in list(group_similar([*many, odd]))


def test_other_parameters_are_grouped() -> None:
    many = [
        step("a", minute, action=DryRunAction(connection="table:a", tool="append", parameters={"n": minute}))
        for minute in range(2 * MAX_SIMILAR)
    ]
    assert len(list(group_similar(many))) == MAX_SIMILAR + 1
