"""Which notifications are sent: one per problem, grouped, rate-limited, held in quiet hours, withdrawn when solved."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.notifications.content import OPEN, QUIET_HOURS_SUMMARY, REST_SUMMARY, OpenProblem, group_key
from app.notifications.notification import Notification, Urgency
from app.notifications.policy import NotificationDecision, NotificationRules, NotificationState, decide
from scheduler.rules.quiet_hours import QuietHours

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)
EVENING = datetime(2026, 11, 16, 21, 30, tzinfo=UTC)
MORNING_TIME = datetime(2026, 11, 17, 6, 0, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
BUTTONS = (("approve", "Approve"), ("reject", "Reject"))
QUIET = QuietHours(start=time(22), end=time(7))
NIGHTLY = NotificationRules(quiet=QUIET)
WITH_QUESTIONS = NotificationRules(quiet=replace(QUIET, approvals_pass=True))


def problem(key: str, **facts: Any) -> OpenProblem:
    return OpenProblem(**{"key": key, "title": f"{key} failed", "group": key, "since": NOON} | facts)


def question(key: str, **facts: Any) -> OpenProblem:
    return problem(key, **{"title": f"{key} asks", "is_question": True, "actions": BUTTONS} | facts)


class Screen:
    """Applies the decisions to a screen, with a manual clock."""

    def __init__(self, rules: NotificationRules | None = None, now: datetime = NOON) -> None:
        self.rules = rules or NotificationRules()
        self.now = now
        self.board = NotificationState()
        self.shown: dict[str, Notification] = {}
        self.sent: list[tuple[datetime, Notification]] = []

    def decide(self, problems: Iterable[OpenProblem]) -> NotificationDecision:
        decision = decide(self.board, problems, self.rules, self.now, BERLIN)
        self.board = decision.state
        for key in decision.withdraw:
            del self.shown[key]
        self.shown |= {notification.key: notification for notification in decision.send}
        self.sent += [(self.now, notification) for notification in decision.send]
        return decision

    def wait(self, problems: Iterable[OpenProblem]) -> None:
        """Decide at each wake time until there is none."""
        known = list(problems)
        for _ in range(100):
            decision = self.decide(known)
            if decision.wake_at is None:
                return
            assert decision.wake_at > self.now
            self.now = decision.wake_at
        raise AssertionError("it never comes to rest")

    def titles(self) -> list[str]:
        return [notification.title for notification in self.shown.values()]


@pytest.fixture
def screen() -> Screen:
    return Screen()


def test_a_problem_immediately_gets_its_own_notification_with_buttons(screen: Screen) -> None:
    shown = question("receipts", text="3 rows", urgency=Urgency.CRITICAL, group="Home mail")
    decision = screen.decide([shown])
    assert decision.send == (
        Notification(
            key="receipts",
            title="receipts asks",
            text="3 rows",
            actions=BUTTONS,
            urgency=Urgency.CRITICAL,
            group="Home mail",
        ),
    )
    assert decision.wake_at is None


def test_nothing_open_means_nothing_to_do(screen: Screen) -> None:
    decision = screen.decide([])
    assert (decision.send, decision.withdraw, decision.wake_at) == ((), (), None)


def test_deciding_again_sends_nothing(screen: Screen) -> None:
    screen.decide([problem("a"), problem("b")])
    assert screen.decide([problem("b"), problem("a")]).send == ()


def test_the_notification_of_a_solved_problem_is_withdrawn(screen: Screen) -> None:
    screen.decide([problem("a"), problem("b")])
    assert screen.decide([problem("b")]).withdraw == ("a",)
    assert screen.decide([problem("b")]).withdraw == ()
    assert screen.titles() == ["b failed"]


def test_a_problem_that_comes_back_is_shown_again(screen: Screen) -> None:
    screen.decide([problem("a")])
    screen.decide([])
    assert screen.decide([problem("a")]).send[0].key == "a"


def test_a_repeated_problem_keeps_its_notification_with_a_counter(screen: Screen) -> None:
    screen.decide([problem("a")])
    screen.now += MINUTE
    screen.decide([problem("a", count=2)])
    assert screen.titles() == ["a failed (2 times)"]
    assert [notification.key for _, notification in screen.sent] == ["a", "a"]


def test_a_fast_counter_is_updated_after_a_minute(screen: Screen) -> None:
    screen.decide([problem("a")])
    for count in range(2, 30):
        screen.now += SECOND
        decision = screen.decide([problem("a", count=count)])
        assert decision.send == ()
    assert decision.wake_at == NOON + MINUTE
    screen.wait([problem("a", count=29)])
    assert screen.titles() == ["a failed (29 times)"]
    assert len(screen.sent) == 2


def test_a_hundred_failures_in_a_minute_make_three_notifications(screen: Screen) -> None:
    """One after the other, of five accounts; all of them are shown in the end."""
    happened: list[OpenProblem] = []
    for number in range(100):
        happened.append(problem(f"p{number:02}", group=f"account {number % 5}"))
        screen.decide(happened)
        screen.now += MINUTE / 101
    assert len(screen.sent) == 3
    screen.wait(happened)
    assert set(screen.board.shown_problems) == {one.key for one in happened}
    assert len(screen.shown) <= 8


def test_a_hundred_failures_at_once_are_grouped_by_account(screen: Screen) -> None:
    happened = [problem(f"p{number:02}", group=f"account {number % 3}") for number in range(100)]
    screen.decide(happened)
    assert sorted(screen.titles()) == [
        "account 0: 34 items need your attention",
        "account 1: 33 items need your attention",
        "account 2: 33 items need your attention",
    ]


def test_more_accounts_than_notifications_share_one_for_the_rest(screen: Screen) -> None:
    happened = [problem(f"p{number:02}", group=f"account {number % 20}") for number in range(100)]
    decision = screen.decide(happened)
    assert [notification.key for notification in decision.send] == [
        group_key("account 0"),
        group_key("account 1"),
        REST_SUMMARY,
    ]
    assert screen.shown[REST_SUMMARY].title == "90 items need your attention"
    assert decision.wake_at is None


def test_any_minute_of_many_failures_has_at_most_three(screen: Screen) -> None:
    for number in range(600):
        screen.decide([problem(f"p{one}", group=f"g{one % 7}", count=1 + number // 20) for one in range(number // 4)])
        screen.now += SECOND
    times = [at for at, _ in screen.sent]
    assert all(sum(start <= at < start + MINUTE for at in times) <= 3 for start in times)
    assert len(times) > 3


def test_a_summary_names_the_account_lists_a_few_and_opens_all(screen: Screen) -> None:
    problems = [problem(f"p{number}", group="Home mail", since=NOON + number * SECOND) for number in range(5)]
    screen.decide(problems)
    (notification,) = screen.shown.values()
    assert notification.title == "Home mail: 5 items need your attention"
    assert notification.text == "p0 failed\np1 failed\np2 failed\nand 2 more"
    assert notification.actions == ((OPEN, "Open"),)
    assert screen.board.problems_of(notification.key) == {one.key for one in problems}


def test_a_summary_of_one_workflow_lists_what_each_asks(screen: Screen) -> None:
    """Its name is in the title; repeating it in each line would be useless."""
    texts = ("Add 3 receipts\nmore", "Send the mail", "")
    screen.decide([problem(f"p{one}", title="Chores", group="Chores", text=text) for one, text in enumerate(texts)])
    (notification,) = screen.shown.values()
    assert (notification.title, notification.text) == (
        "Chores: 3 items need your attention",
        "Add 3 receipts\nSend the mail\nChores",
    )


def test_a_summary_says_the_same_thing_once(screen: Screen) -> None:
    asking = [problem(f"p{one}", title="Receipts", group="", since=NOON + one * SECOND) for one in range(5)]
    screen.decide([*asking, problem("last", title="Backup failed", group="", since=NOON + 9 * SECOND)])
    (notification,) = screen.shown.values()
    assert notification.text == "Receipts (5 times)\nBackup failed"


def test_problems_without_an_account_are_grouped_without_a_name(screen: Screen) -> None:
    screen.decide([problem("a", group=""), problem("b", group="")])
    assert screen.titles() == ["2 items need your attention"]


def test_a_shown_group_includes_later_problems(screen: Screen) -> None:
    two = [problem("a", group="g"), problem("b", group="g")]
    screen.decide(two)
    screen.now += SECOND
    decision = screen.decide([*two, problem("c", group="g")])
    assert [notification.key for notification in decision.send] == [group_key("g")]
    assert screen.titles() == ["g: 3 items need your attention"]


def test_a_single_notification_is_not_merged_into_a_group(screen: Screen) -> None:
    """The user may be about to press its buttons."""
    screen.decide([problem("a", group="g")])
    decision = screen.decide([problem("a", group="g"), problem("b", group="g")])
    assert [notification.key for notification in decision.send] == ["b"]
    assert list(screen.shown) == ["a", "b"]


def test_a_group_is_updated_when_some_are_solved(screen: Screen) -> None:
    screen.decide([problem(key, group="g") for key in "abc"])
    left = [problem("a", group="g"), problem("b", group="g")]
    assert screen.decide(left).send == ()
    screen.wait(left)
    assert screen.titles() == ["g: 2 items need your attention"]


def test_the_last_problem_of_a_group_is_named_without_its_buttons(screen: Screen) -> None:
    """A button of a former summary must not answer for one of its problems."""
    screen.decide([question("a", group="g"), question("b", group="g")])
    screen.wait([question("a", group="g", text="3 rows")])
    (notification,) = screen.shown.values()
    assert (notification.key, notification.title, notification.text) == (group_key("g"), "a asks", "3 rows")
    assert notification.actions == ((OPEN, "Open"),)


def test_an_unlisted_counter_of_a_group_changes_nothing(screen: Screen) -> None:
    screen.decide([problem(key, group="g") for key in "abcd"])
    screen.now += 10 * MINUTE
    decision = screen.decide([*(problem(key, group="g") for key in "abc"), problem("d", group="g", count=2)])
    assert (decision.send, decision.wake_at) == ((), None)
    assert decision.state.shown_problems["d"].news == 2


def test_a_solved_group_is_withdrawn(screen: Screen) -> None:
    screen.decide([problem("a", group="g"), problem("b", group="g")])
    assert screen.decide([]).withdraw == (group_key("g"),)


def test_a_closed_summary_does_not_come_back_with_fewer_problems(screen: Screen) -> None:
    screen.decide([problem(key, group="g") for key in "abc"])
    screen.board = screen.board.close(group_key("g")).close("unknown")
    screen.now += 10 * MINUTE
    decision = screen.decide([problem("a", group="g")])
    assert (decision.send, decision.wake_at) == ((), None)


def test_a_closed_notification_comes_back_when_the_problem_repeats(screen: Screen) -> None:
    screen.decide([problem("a")])
    screen.board = screen.board.close("a")
    screen.now += 10 * MINUTE
    assert screen.decide([problem("a", count=2)]).send[0].title == "a failed (2 times)"


def test_the_most_urgent_come_first_when_not_all_fit(screen: Screen) -> None:
    plain = [problem(f"p{number}", since=NOON - timedelta(hours=number)) for number in range(5)]
    pressing = problem("z", urgency=Urgency.CRITICAL)
    shown = question("y", urgency=Urgency.LOW)
    decision = screen.decide([*plain, pressing, shown])
    assert [notification.key for notification in decision.send] == ["y", "z", REST_SUMMARY]


def test_a_summary_is_as_urgent_as_its_most_urgent_problem(screen: Screen) -> None:
    screen.decide([problem("a", group="g", urgency=Urgency.LOW), problem("b", group="g", urgency=Urgency.CRITICAL)])
    (notification,) = screen.shown.values()
    assert notification.urgency is Urgency.CRITICAL
    assert notification.text.startswith("b failed")


def test_what_did_not_fit_is_sent_after_the_minute(screen: Screen) -> None:
    three = [problem(key) for key in "abc"]
    screen.decide(three)
    screen.now += 10 * SECOND
    decision = screen.decide([*three, problem("d")])
    assert (decision.send, decision.wake_at) == ((), NOON + MINUTE)
    screen.wait([*three, problem("d")])
    assert "d failed" in screen.titles()


def test_quiet_hours_hold_everything_back_until_their_end() -> None:
    screen = Screen(NIGHTLY, EVENING)
    decision = screen.decide([problem("a"), question("b")])
    assert (decision.send, decision.wake_at) == ((), MORNING_TIME)


def test_after_quiet_hours_one_summary_shows_what_is_still_open() -> None:
    screen = Screen(NIGHTLY, EVENING)
    screen.decide([problem("a"), question("b"), problem("solved in the night")])
    screen.now += timedelta(hours=3)
    screen.decide([problem("a", count=2), question("b"), problem("c")])
    screen.now = MORNING_TIME
    decision = screen.decide([problem("a", count=7), question("b"), problem("c")])
    (notification,) = decision.send
    assert (notification.key, notification.title) == (
        QUIET_HOURS_SUMMARY,
        "During quiet hours: 3 items need your attention",
    )
    assert "a failed (7 times)" in notification.text
    assert decision.wake_at is None
    assert screen.decide([problem("a", count=7), question("b"), problem("c")]).send == ()


def test_a_single_held_problem_is_shown_with_its_buttons() -> None:
    screen = Screen(NIGHTLY, EVENING)
    screen.decide([question("a"), problem("b")])
    screen.now = MORNING_TIME
    screen.decide([question("a")])
    assert screen.shown["a"].actions == BUTTONS


def test_problems_solved_during_quiet_hours_are_never_shown() -> None:
    screen = Screen(NIGHTLY, EVENING)
    screen.decide([problem("a"), problem("b")])
    screen.now += timedelta(hours=1)
    assert screen.decide([]).wake_at is None
    screen.now = MORNING_TIME
    assert screen.decide([]).send == ()


def test_approval_requests_may_pass_and_are_not_repeated() -> None:
    screen = Screen(WITH_QUESTIONS, EVENING)
    decision = screen.decide([problem("a"), question("b"), problem("c")])
    assert [notification.key for notification in decision.send] == ["b"]
    assert decision.wake_at == MORNING_TIME
    screen.now = MORNING_TIME
    screen.decide([problem("a"), question("b"), problem("c")])
    assert screen.titles() == ["b asks", "During quiet hours: 2 items need your attention"]


def test_approval_requests_are_rate_limited_in_quiet_hours() -> None:
    screen = Screen(WITH_QUESTIONS, EVENING)
    for number in range(50):
        screen.decide([question(f"q{one}") for one in range(number)])
        screen.now += SECOND
    assert len(screen.sent) == 3


def test_a_shown_problem_that_repeats_in_quiet_hours_moves_into_the_summary() -> None:
    """And out of its old notification, so that it is not shown twice."""
    screen = Screen(NIGHTLY, EVENING - timedelta(hours=2))
    screen.decide([problem("a"), problem("b")])
    screen.now = EVENING
    screen.decide([problem("a", count=5), problem("b"), problem("c")])
    screen.now = MORNING_TIME
    decision = screen.decide([problem("a", count=5), problem("b"), problem("c")])
    assert decision.withdraw == ("a",)
    assert screen.board.problems_of(QUIET_HOURS_SUMMARY) == {"a", "c"}
    assert list(screen.shown) == ["b", QUIET_HOURS_SUMMARY]


def test_a_repeated_request_waits_for_the_end_of_quiet_hours() -> None:
    """It has disturbed once already."""
    screen = Screen(WITH_QUESTIONS, EVENING)
    screen.decide([question("a")])
    screen.now += timedelta(hours=1)
    assert screen.decide([question("a", count=2), problem("b")]).send == ()
    screen.now = MORNING_TIME
    decision = screen.decide([question("a", count=2), problem("b")])
    assert [notification.key for notification in decision.send] == [QUIET_HOURS_SUMMARY]
    assert screen.board.problems_of(QUIET_HOURS_SUMMARY) == {"a", "b"}


def test_the_summary_comes_before_new_problems() -> None:
    screen = Screen(replace(NIGHTLY, at_most=2), EVENING)
    screen.decide([problem("a"), problem("b")])
    screen.now = MORNING_TIME
    new = [question("c", urgency=Urgency.CRITICAL), question("d", urgency=Urgency.CRITICAL)]
    decision = screen.decide([problem("a"), problem("b"), *new])
    assert [notification.key for notification in decision.send] == [QUIET_HOURS_SUMMARY, REST_SUMMARY]
    assert screen.board.problems_of(QUIET_HOURS_SUMMARY) == {"a", "b"}


def test_a_group_that_shrinks_in_quiet_hours_is_updated_afterwards() -> None:
    screen = Screen(NIGHTLY, EVENING - timedelta(hours=2))
    screen.decide([problem(key, group="g") for key in "abc"])
    screen.now = EVENING
    left = [problem("a", group="g"), problem("b", group="g")]
    decision = screen.decide(left)
    assert (decision.send, decision.wake_at) == ((), MORNING_TIME)
    screen.wait(left)
    assert screen.titles() == ["g: 2 items need your attention"]


def test_a_problem_solved_in_quiet_hours_is_withdrawn_immediately() -> None:
    screen = Screen(NIGHTLY, EVENING - timedelta(hours=2))
    screen.decide([problem("a")])
    screen.now = EVENING
    assert screen.decide([]).withdraw == ("a",)


def test_new_problems_after_quiet_hours_are_not_part_of_the_summary() -> None:
    screen = Screen(NIGHTLY, EVENING)
    screen.decide([problem("a"), problem("b")])
    screen.now = MORNING_TIME
    decision = screen.decide([problem("a"), problem("b"), problem("new")])
    assert [notification.key for notification in decision.send] == [QUIET_HOURS_SUMMARY, "new"]


def test_turning_quiet_hours_off_sends_immediately() -> None:
    screen = Screen(NIGHTLY, EVENING)
    screen.decide([problem("a"), problem("b")])
    screen.rules = NotificationRules()
    assert [notification.key for notification in screen.decide([problem("a"), problem("b")]).send] == [
        QUIET_HOURS_SUMMARY
    ]


def test_a_rate_limited_summary_is_sent_later() -> None:
    screen = Screen(WITH_QUESTIONS, MORNING_TIME - 10 * SECOND)
    night = [problem("a"), problem("b"), question("c"), question("d"), question("e")]
    screen.decide(night)
    screen.now = MORNING_TIME
    assert screen.decide(night).send == ()
    screen.wait(night)
    assert screen.shown[QUIET_HOURS_SUMMARY].title == "During quiet hours: 2 items need your attention"


def test_setting_the_clock_back_suppresses_nothing(screen: Screen) -> None:
    three = [problem(key) for key in "abc"]
    screen.decide(three)
    screen.now -= timedelta(days=1)
    assert [notification.key for notification in screen.decide([*three, problem("d")]).send] == ["d"]
    assert [notification.title for notification in screen.decide([problem("a", count=2)]).send] == [
        "a failed (2 times)"
    ]


def test_keys_of_problems_and_summaries_cannot_collide() -> None:
    with pytest.raises(ValueError, match="must not start"):
        problem(group_key("g"))


def test_a_reminder_shows_a_closed_notification_again_but_not_in_quiet_hours() -> None:
    asked, reminded = question("a", text="3 rows"), question("a", text="3 rows\nReminder", reminders=1)
    screen = Screen(NIGHTLY)
    screen.decide([asked])
    screen.board = screen.board.close("a")
    screen.now = EVENING
    screen.decide([reminded])
    assert len(screen.sent) == 1
    screen.wait([reminded])
    assert [(at, one.text) for at, one in screen.sent[1:]] == [(MORNING_TIME, "3 rows\nReminder")]
    assert screen.titles() == ["a asks"], "it did not happen twice"
