"""Steps that are alike are told together, and nothing is lost."""

from datetime import UTC, datetime, timedelta
from typing import Any

from scheduler.engine.workflows.trying.steps import MOST_ALIKE, Step, gather

START = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)


def step(handler: str, minute: int, summary: str | None = None, status: str = "committed") -> Step:
    at = START + timedelta(minutes=minute)
    told: dict[str, Any] = {"error": None, "asked": None, "action": None, "commands": (), "log": ""}
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
