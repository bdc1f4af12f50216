"""What holds for the notices of any day: whatever happens, in whatever order, by whatever rules."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from app.notices.notice import Notice, Urgency
from app.notices.policy import Board, Decision, Rules, decide
from app.notices.problems import MANY, OPEN, Problem
from app.notices.quiet import QuietHours

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 24, 18, 0, tzinfo=UTC)
"""The night after it is an hour longer than others."""
KEYS = [f"p{number}" for number in range(12)]

kinds = {
    key: Problem(
        key=key,
        title=key,
        group=f"g{number % 4}",
        is_question=number % 3 == 0,
        urgency=list(Urgency)[number % 3],
        actions=(("go", "Go"),),
        since=START,
    )
    for number, key in enumerate(KEYS)
}
open_problems = st.dictionaries(st.sampled_from(KEYS), st.integers(1, 3)).map(
    lambda counts: [replace(kinds[key], count=count) for key, count in counts.items()]
)
steps = st.lists(
    st.tuples(
        st.one_of(st.integers(0, 90), st.integers(0, 20_000)).map(lambda seconds: timedelta(seconds=seconds)),
        open_problems,
    ),
    min_size=1,
    max_size=25,
)
rules = st.builds(
    Rules,
    quiet=st.one_of(
        st.none(),
        st.builds(QuietHours, start=st.just(time(22)), end=st.just(time(7)), approvals_pass=st.booleans()),
    ),
    at_most=st.integers(1, 4),
)
Steps = list[tuple[timedelta, list[Problem]]]


def live(given_rules: Rules, days: Steps) -> list[tuple[datetime, list[Problem], Board, Decision]]:
    now, board, seen = START, Board(), []
    for pause, problems in days:
        now += pause
        decision = decide(board, problems, given_rules, now, BERLIN)
        seen.append((now, problems, board, decision))
        board = decision.board
    return seen


def is_quiet(given_rules: Rules, now: datetime) -> bool:
    return given_rules.quiet is not None and given_rules.quiet.hold_at(now, BERLIN)


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_no_span_has_more_notices_than_the_rules_allow(given_rules: Rules, days: Steps) -> None:
    times = [now for now, _, _, decision in live(given_rules, days) for _ in decision.send]
    for start in times:
        assert sum(start <= at < start + given_rules.within for at in times) <= given_rules.at_most


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_the_screen_shows_only_what_is_open_and_each_problem_once(given_rules: Rules, days: Steps) -> None:
    screen: dict[str, Notice] = {}
    for _, problems, _, decision in live(given_rules, days):
        for key in decision.withdraw:
            del screen[key]
        screen |= {notice.key: notice for notice in decision.send}
        still = {problem.key for problem in problems}
        told = [key for notice in screen for key in decision.board.problems_of(notice)]
        assert set(told) <= still
        assert len(told) == len(set(told)) == len(decision.board.told)
        assert all(decision.board.problems_of(key) for key in screen), "a notice about nothing"
        assert screen.keys() == decision.board.shown.keys()


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_only_a_problem_alone_has_buttons_that_answer(given_rules: Rules, days: Steps) -> None:
    for _, _, _, decision in live(given_rules, days):
        for notice in decision.send:
            members = decision.board.problems_of(notice.key)
            if notice.key.startswith(MANY):
                assert [action for action, _ in notice.actions] == [OPEN]
            else:
                assert members == {notice.key}


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_quiet_hours_let_nothing_pass_but_questions_by_choice(given_rules: Rules, days: Steps) -> None:
    for now, problems, before, decision in live(given_rules, days):
        if not is_quiet(given_rules, now):
            continue
        assert given_rules.quiet is not None
        if not given_rules.quiet.approvals_pass:
            assert decision.send == ()
        questions = {problem.key for problem in problems if problem.is_question}
        for notice in decision.send:
            added = decision.board.problems_of(notice.key) - before.problems_of(notice.key)
            assert added
            assert added <= questions


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_the_same_look_twice_sends_nothing_twice(given_rules: Rules, days: Steps) -> None:
    for now, problems, _, decision in live(given_rules, days):
        again = decide(decision.board, problems, given_rules, now, BERLIN)
        assert (again.send, again.withdraw) == ((), ())
        assert again.board == decision.board


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_everything_open_is_told_in_the_end_if_one_wakes_when_asked(given_rules: Rules, days: Steps) -> None:
    now, problems, _, decision = live(given_rules, days)[-1]
    for _ in range(60):
        if decision.wake is None:
            break
        assert decision.wake > now
        now = decision.wake
        decision = decide(decision.board, problems, given_rules, now, BERLIN)
    assert decision.wake is None
    assert {key: told.count for key, told in decision.board.told.items()} == {one.key: one.count for one in problems}
    assert decision.board.held == frozenset()


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_what_was_held_back_at_night_comes_as_one_notice(given_rules: Rules, days: Steps) -> None:
    """In the first look after quiet hours, unless there is no room for any notice at all."""
    for now, problems, before, decision in live(given_rules, days):
        still = {problem.key for problem in problems}
        kept = before.held & still
        if is_quiet(given_rules, now) or len(kept) < 2 or not decision.send:
            continue
        homes = {decision.board.told[key].home for key in kept}
        assert len(homes) == 1
        assert len([notice for notice in decision.send if notice.key in homes]) == 1
