"""Properties of the notification policy for any events, in any order, by any rules."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st

from app.notifications.content import OPEN, SUMMARY_PREFIX, OpenProblem
from app.notifications.notification import Notification, Urgency
from app.notifications.policy import NotificationDecision, NotificationRules, NotificationState, decide
from scheduler.rules.quiet_hours import QuietHours

BERLIN = ZoneInfo("Europe/Berlin")
START = datetime(2026, 10, 24, 18, 0, tzinfo=UTC)
"""The night after it is an hour longer."""
KEYS = [f"p{number}" for number in range(12)]

kinds = {
    key: OpenProblem(
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
    NotificationRules,
    quiet=st.one_of(
        st.none(),
        st.builds(QuietHours, start=st.just(time(22)), end=st.just(time(7)), approvals_pass=st.booleans()),
    ),
    at_most=st.integers(1, 4),
)
Steps = list[tuple[timedelta, list[OpenProblem]]]


def simulate(
    given_rules: NotificationRules, days: Steps
) -> list[tuple[datetime, list[OpenProblem], NotificationState, NotificationDecision]]:
    now, board, seen = START, NotificationState(), []
    for pause, problems in days:
        now += pause
        decision = decide(board, problems, given_rules, now, BERLIN)
        seen.append((now, problems, board, decision))
        board = decision.state
    return seen


def is_quiet(given_rules: NotificationRules, now: datetime) -> bool:
    return given_rules.quiet is not None and given_rules.quiet.is_active_at(now, BERLIN)


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_no_span_has_more_notifications_than_the_rules_allow(given_rules: NotificationRules, days: Steps) -> None:
    times = [now for now, _, _, decision in simulate(given_rules, days) for _ in decision.send]
    for start in times:
        assert sum(start <= at < start + given_rules.within for at in times) <= given_rules.at_most


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_the_screen_shows_only_what_is_open_and_each_problem_once(given_rules: NotificationRules, days: Steps) -> None:
    screen: dict[str, Notification] = {}
    for _, problems, _, decision in simulate(given_rules, days):
        for key in decision.withdraw:
            del screen[key]
        screen |= {notification.key: notification for notification in decision.send}
        still = {problem.key for problem in problems}
        shown = [key for notification in screen for key in decision.state.problems_of(notification)]
        assert set(shown) <= still
        assert len(shown) == len(set(shown)) == len(decision.state.shown_problems)
        assert all(decision.state.problems_of(key) for key in screen), "a notification without problems"
        assert screen.keys() == decision.state.shown.keys()


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_only_single_notifications_have_answer_buttons(given_rules: NotificationRules, days: Steps) -> None:
    for _, _, _, decision in simulate(given_rules, days):
        for notification in decision.send:
            members = decision.state.problems_of(notification.key)
            if notification.key.startswith(SUMMARY_PREFIX):
                assert [action for action, _ in notification.actions] == [OPEN]
            else:
                assert members == {notification.key}


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_quiet_hours_let_only_allowed_requests_pass(given_rules: NotificationRules, days: Steps) -> None:
    for now, problems, before, decision in simulate(given_rules, days):
        if not is_quiet(given_rules, now):
            continue
        assert given_rules.quiet is not None
        if not given_rules.quiet.approvals_pass:
            assert decision.send == ()
        questions = {problem.key for problem in problems if problem.is_question}
        for notification in decision.send:
            added = decision.state.problems_of(notification.key) - before.problems_of(notification.key)
            assert added
            assert added <= questions


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_deciding_twice_sends_nothing_twice(given_rules: NotificationRules, days: Steps) -> None:
    for now, problems, _, decision in simulate(given_rules, days):
        again = decide(decision.state, problems, given_rules, now, BERLIN)
        assert (again.send, again.withdraw) == ((), ())
        assert again.state == decision.state


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_every_open_problem_is_shown_in_the_end(given_rules: NotificationRules, days: Steps) -> None:
    now, problems, _, decision = simulate(given_rules, days)[-1]
    for _ in range(60):
        if decision.wake_at is None:
            break
        assert decision.wake_at > now
        now = decision.wake_at
        decision = decide(decision.state, problems, given_rules, now, BERLIN)
    assert decision.wake_at is None
    assert {key: shown.news for key, shown in decision.state.shown_problems.items()} == {
        one.key: one.news for one in problems
    }
    assert decision.state.held == frozenset()


@settings(deadline=None, max_examples=60)
@given(rules, steps)
def test_held_back_problems_come_as_one_summary(given_rules: NotificationRules, days: Steps) -> None:
    """In the first decision after quiet hours, unless the rate limit allows none."""
    for now, problems, before, decision in simulate(given_rules, days):
        still = {problem.key for problem in problems}
        kept = before.held & still
        if is_quiet(given_rules, now) or len(kept) < 2 or not decision.send:
            continue
        homes = {decision.state.shown_problems[key].home for key in kept}
        assert len(homes) == 1
        assert len([notification for notification in decision.send if notification.key in homes]) == 1
