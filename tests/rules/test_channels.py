"""What goes to a channel, and when: one table, then the limits."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

import pytest

from scheduler.rules.channels import (
    MAX_TOGETHER,
    BadChannelRuleError,
    ChannelDecision,
    ChannelItem,
    ChannelRules,
    ChannelTiming,
    ChannelTopic,
    CodeUse,
    Presence,
    decide,
    list_answers,
    parse_rule,
    parse_rules,
)
from scheduler.rules.requests import RequestAction, RequestKind

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
ALWAYS = ChannelRules(timing=ChannelTiming.ALWAYS)
AWAY = ChannelRules(minutes=5)
AT_DESK = Presence(is_locked=False, idle_since=NOW)
QUESTION, PROBLEM, MESSAGE = ChannelTopic.QUESTIONS, ChannelTopic.PROBLEMS, ChannelTopic.MESSAGES


def item(key: str = "a", topic: ChannelTopic = QUESTION, age: timedelta = timedelta()) -> ChannelItem:
    return ChannelItem(key=key, topic=topic, workflows=("w",), since=NOW - age)


def decided(*items: ChannelItem, rules: ChannelRules = ALWAYS, **given: Any) -> ChannelDecision:
    presence: Presence = given.get("presence", Presence())
    return decide(items, given.get("covered", ()), given.get("sent", ()), rules, presence, NOW, UTC)


QUIET = ChannelRules(timing=ChannelTiming.ALWAYS, is_quiet=True, quiet_from=time(11), quiet_until=time(14))


@pytest.mark.parametrize(
    ("rules", "presence", "topic", "age", "due_in"),
    [
        # the user wants everything at once
        (ALWAYS, AT_DESK, QUESTION, 0, 0),
        # away: at the desk nothing is sent until nobody has answered for the time
        (AWAY, AT_DESK, QUESTION, 0, 5),
        (AWAY, AT_DESK, QUESTION, 2, 3),
        (AWAY, AT_DESK, PROBLEM, 6, 0),
        # the screen is locked
        (AWAY, Presence(is_locked=True, idle_since=NOW), QUESTION, 0, 0),
        # nobody has used the computer for that long
        (AWAY, Presence(is_locked=False, idle_since=NOW - 5 * MINUTE), QUESTION, 0, 0),
        (AWAY, Presence(is_locked=False, idle_since=NOW - 3 * MINUTE), QUESTION, 0, 2),
        # nobody knows: better one message too many
        (AWAY, Presence(), QUESTION, 0, 0),
        # not locked, and nothing known about idle time
        (AWAY, Presence(is_locked=False), QUESTION, 1, 4),
        # quiet hours end at 14:00
        (QUIET, AT_DESK, PROBLEM, 0, 120),
        (QUIET, AT_DESK, QUESTION, 0, 120),
        (ChannelRules(timing=ChannelTiming.ALWAYS, is_quiet=True, quiet_from=time(13)), AT_DESK, QUESTION, 0, 0),
    ],
)
def test_when_something_is_sent(
    rules: ChannelRules, presence: Presence, topic: ChannelTopic, age: int, due_in: int
) -> None:
    found = decided(item(topic=topic, age=age * MINUTE), rules=rules, presence=presence)
    assert (found.single == ("a",)) == (due_in == 0)
    assert found.wake_at == (None if due_in == 0 else NOW + due_in * MINUTE)


def test_questions_pass_quiet_hours_if_the_user_wants_that() -> None:
    rules = parse_rules({**QUIET.to_json(), "questions_pass": True})
    found = decided(item("a"), item("b", PROBLEM), rules=rules)
    assert found.single == ("a",)
    assert found.wake_at == NOW + 120 * MINUTE


def test_scripts_messages_stay_at_the_desk_while_the_user_is_there() -> None:
    assert decided(item(topic=MESSAGE), rules=AWAY, presence=AT_DESK).dropped == ("a",)
    assert decided(item(topic=MESSAGE), rules=AWAY).single == ("a",)
    assert decided(item(topic=MESSAGE), presence=AT_DESK).single == ("a",)


@pytest.mark.parametrize(
    ("rules", "is_sent"),
    [
        ({}, True),
        ({"is_on": False}, False),
        ({"topics": "problems"}, False),
        ({"topics": "questions,messages"}, True),
        ({"workflows": "w,x"}, True),
        ({"workflows": "x"}, False),
    ],
)
def test_only_what_the_user_chose_is_sent(rules: dict[str, Any], is_sent: bool) -> None:  # noqa: FBT001
    assert bool(decided(item(), rules=parse_rules({"timing": "always", **rules})).single) is is_sent


def test_each_problem_has_one_message() -> None:
    assert decided(item("a"), item("b"), covered={"a"}).single == ("b",)
    assert decided(item("a"), covered={"a"}) == ChannelDecision()


def test_a_storm_becomes_two_messages_and_a_summary_questions_first() -> None:
    found = decided(*(item(str(key), PROBLEM) for key in range(8)), item("q"))
    assert len(found.single) == MAX_TOGETHER - 1
    assert found.single[0] == "q"
    assert len(found.summary) == 7
    assert not {*found.single} & {*found.summary}


def test_at_most_so_many_an_hour_then_a_summary_when_the_hour_is_over() -> None:
    rules = ChannelRules(timing=ChannelTiming.ALWAYS, hourly=4)
    sent = [NOW - minutes * MINUTE for minutes in (50, 40, 30)]
    last = decided(item("a"), item("b"), rules=rules, sent=sent)
    assert (last.single, last.summary) == ((), ("a", "b"))
    full = decided(item("a"), rules=rules, sent=[*sent, NOW])
    assert (full.single, full.wake_at) == ((), NOW + 10 * MINUTE)
    assert decided(item("a"), rules=rules, sent=[NOW - 61 * MINUTE, *sent]).single == ("a",)


def test_rules_survive_storing() -> None:
    rules = ChannelRules(
        topics=(PROBLEM,), workflows=("w",), minutes=7, quiet_from=time(1, 30), code=CodeUse.ALWAYS, to="me@example.org"
    )
    assert parse_rules(rules.to_json()) == rules


def test_a_damaged_rule_does_not_affect_the_others() -> None:
    assert parse_rules({"minutes": "many", "hourly": 3, "color": "blue"}) == ChannelRules(hourly=3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("minutes", "0"), ("minutes", True), ("timing", "never"), ("topics", "all of it"), ("quiet_from", "25:00")),
        *(("is_on", "perhaps"), ("hourly", 61), ("to", "a\nb"), ("nothing", "x"), ("code", "")),
    ],
)
def test_a_bad_value_is_refused_with_a_sentence(name: str, value: Any) -> None:
    with pytest.raises(BadChannelRuleError, match=name):
        parse_rule(name, value)


def test_lasting_permissions_and_repairs_are_only_decided_at_the_computer() -> None:
    for kind in (RequestKind.PERMISSION, RequestKind.FIX, RequestKind.REPAIRED, RequestKind.RECONNECT):
        assert list_answers(kind) == ()
    offered = {action for kind in RequestKind for action in list_answers(kind)}
    assert not offered & {RequestAction.ALWAYS, RequestAction.EDIT_CALL, RequestAction.ROLLBACK, RequestAction.REPAIR}
