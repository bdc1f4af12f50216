"""Which notices the person gets: one per problem, grouped, never a storm, held in quiet hours, gone when solved."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.notices.notice import Notice, Urgency
from app.notices.policy import Board, Decision, Rules, decide
from app.notices.problems import MORNING, OPEN, REST, Problem, group_key
from app.notices.quiet import QuietHours

BERLIN = ZoneInfo("Europe/Berlin")
NOON = datetime(2026, 11, 16, 11, 0, tzinfo=UTC)
EVENING = datetime(2026, 11, 16, 21, 30, tzinfo=UTC)
MORNING_TIME = datetime(2026, 11, 17, 6, 0, tzinfo=UTC)
SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)
BUTTONS = (("approve", "Approve"), ("reject", "Reject"))
QUIET = QuietHours(start=time(22), end=time(7))
NIGHTLY = Rules(quiet=QUIET)
WITH_QUESTIONS = Rules(quiet=replace(QUIET, approvals_pass=True))


def problem(key: str, **facts: Any) -> Problem:
    return Problem(**{"key": key, "title": f"{key} failed", "group": key, "since": NOON} | facts)


def question(key: str, **facts: Any) -> Problem:
    return problem(key, **{"title": f"{key} asks", "is_question": True, "actions": BUTTONS} | facts)


class Person:
    """Sees what is decided; its clock is moved by the test."""

    def __init__(self, rules: Rules | None = None, now: datetime = NOON) -> None:
        self.rules = rules or Rules()
        self.now = now
        self.board = Board()
        self.screen: dict[str, Notice] = {}
        self.sent: list[tuple[datetime, Notice]] = []

    def look(self, problems: Iterable[Problem]) -> Decision:
        decision = decide(self.board, problems, self.rules, self.now, BERLIN)
        self.board = decision.board
        for key in decision.withdraw:
            del self.screen[key]
        self.screen |= {notice.key: notice for notice in decision.send}
        self.sent += [(self.now, notice) for notice in decision.send]
        return decision

    def wait(self, problems: Iterable[Problem]) -> None:
        """Look whenever it is asked for, until nothing more is."""
        known = list(problems)
        for _ in range(100):
            decision = self.look(known)
            if decision.wake is None:
                return
            assert decision.wake > self.now
            self.now = decision.wake
        raise AssertionError("it never comes to rest")

    def titles(self) -> list[str]:
        return [notice.title for notice in self.screen.values()]


@pytest.fixture
def person() -> Person:
    return Person()


def test_a_problem_gets_its_own_notice_with_its_buttons_at_once(person: Person) -> None:
    asked = question("receipts", text="3 rows", urgency=Urgency.CRITICAL, group="Home mail")
    decision = person.look([asked])
    assert decision.send == (
        Notice(
            key="receipts",
            title="receipts asks",
            text="3 rows",
            actions=BUTTONS,
            urgency=Urgency.CRITICAL,
            group="Home mail",
        ),
    )
    assert decision.wake is None


def test_nothing_open_means_nothing_to_do(person: Person) -> None:
    decision = person.look([])
    assert (decision.send, decision.withdraw, decision.wake) == ((), (), None)


def test_looking_again_sends_nothing_again(person: Person) -> None:
    person.look([problem("a"), problem("b")])
    assert person.look([problem("b"), problem("a")]).send == ()


def test_a_solved_problem_takes_its_notice_with_it(person: Person) -> None:
    person.look([problem("a"), problem("b")])
    assert person.look([problem("b")]).withdraw == ("a",)
    assert person.look([problem("b")]).withdraw == ()
    assert person.titles() == ["b failed"]


def test_a_problem_that_comes_back_is_told_anew(person: Person) -> None:
    person.look([problem("a")])
    person.look([])
    assert person.look([problem("a")]).send[0].key == "a"


def test_the_same_problem_again_is_the_same_notice_with_a_counter(person: Person) -> None:
    person.look([problem("a")])
    person.now += MINUTE
    person.look([problem("a", count=2)])
    assert person.titles() == ["a failed (2 times)"]
    assert [notice.key for _, notice in person.sent] == ["a", "a"]


def test_a_counter_that_runs_waits_a_minute_and_is_not_lost(person: Person) -> None:
    person.look([problem("a")])
    for count in range(2, 30):
        person.now += SECOND
        decision = person.look([problem("a", count=count)])
        assert decision.send == ()
    assert decision.wake == NOON + MINUTE
    person.wait([problem("a", count=29)])
    assert person.titles() == ["a failed (29 times)"]
    assert len(person.sent) == 2


def test_a_hundred_failures_in_a_minute_make_three_notices(person: Person) -> None:
    """One after the other, of five accounts; and all of them are told in the end."""
    happened: list[Problem] = []
    for number in range(100):
        happened.append(problem(f"p{number:02}", group=f"account {number % 5}"))
        person.look(happened)
        person.now += MINUTE / 101
    assert len(person.sent) == 3
    person.wait(happened)
    assert set(person.board.told) == {one.key for one in happened}
    assert len(person.screen) <= 8


def test_a_hundred_failures_at_once_make_three_notices_grouped_by_account(person: Person) -> None:
    happened = [problem(f"p{number:02}", group=f"account {number % 3}") for number in range(100)]
    person.look(happened)
    assert sorted(person.titles()) == [
        "account 0: 34 things need you",
        "account 1: 33 things need you",
        "account 2: 33 things need you",
    ]


def test_more_accounts_than_notices_leave_one_for_all_the_rest(person: Person) -> None:
    happened = [problem(f"p{number:02}", group=f"account {number % 20}") for number in range(100)]
    decision = person.look(happened)
    assert [notice.key for notice in decision.send] == [group_key("account 0"), group_key("account 1"), REST]
    assert person.screen[REST].title == "90 things need you"
    assert decision.wake is None


def test_any_minute_of_a_long_storm_has_three_at_most(person: Person) -> None:
    for number in range(600):
        person.look([problem(f"p{one}", group=f"g{one % 7}", count=1 + number // 20) for one in range(number // 4)])
        person.now += SECOND
    times = [at for at, _ in person.sent]
    assert all(sum(start <= at < start + MINUTE for at in times) <= 3 for start in times)
    assert len(times) > 3


def test_several_of_one_account_name_it_list_a_few_and_open_all(person: Person) -> None:
    asked = [problem(f"p{number}", group="Home mail", since=NOON + number * SECOND) for number in range(5)]
    person.look(asked)
    (notice,) = person.screen.values()
    assert notice.title == "Home mail: 5 things need you"
    assert notice.text == "p0 failed\np1 failed\np2 failed\nand 2 more"
    assert notice.actions == ((OPEN, "Open"),)
    assert person.board.problems_of(notice.key) == {one.key for one in asked}


def test_several_of_one_workflow_say_what_each_asks(person: Person) -> None:
    """Its name is in the title; three times the same line would tell nothing."""
    said = ("Add 3 receipts\nmore", "Send the mail", "")
    person.look([problem(f"p{one}", title="Chores", group="Chores", text=text) for one, text in enumerate(said)])
    (notice,) = person.screen.values()
    assert (notice.title, notice.text) == ("Chores: 3 things need you", "Add 3 receipts\nSend the mail\nChores")


def test_what_belongs_to_no_account_is_grouped_without_a_name(person: Person) -> None:
    person.look([problem("a", group=""), problem("b", group="")])
    assert person.titles() == ["2 things need you"]


def test_a_group_on_the_screen_takes_in_what_comes_later(person: Person) -> None:
    two = [problem("a", group="g"), problem("b", group="g")]
    person.look(two)
    person.now += SECOND
    decision = person.look([*two, problem("c", group="g")])
    assert [notice.key for notice in decision.send] == [group_key("g")]
    assert person.titles() == ["g: 3 things need you"]


def test_one_on_the_screen_by_itself_stays_by_itself(person: Person) -> None:
    """Its buttons are under somebody's pointer perhaps."""
    person.look([problem("a", group="g")])
    decision = person.look([problem("a", group="g"), problem("b", group="g")])
    assert [notice.key for notice in decision.send] == ["b"]
    assert list(person.screen) == ["a", "b"]


def test_a_group_of_which_some_are_solved_says_so_after_a_while(person: Person) -> None:
    person.look([problem(key, group="g") for key in "abc"])
    left = [problem("a", group="g"), problem("b", group="g")]
    assert person.look(left).send == ()
    person.wait(left)
    assert person.titles() == ["g: 2 things need you"]


def test_the_last_of_a_group_is_told_by_name_but_without_its_buttons(person: Person) -> None:
    """A button of a notice that stood for several must not answer for one of them."""
    person.look([question("a", group="g"), question("b", group="g")])
    person.wait([question("a", group="g", text="3 rows")])
    (notice,) = person.screen.values()
    assert (notice.key, notice.title, notice.text) == (group_key("g"), "a asks", "3 rows")
    assert notice.actions == ((OPEN, "Open"),)


def test_a_counter_that_a_group_does_not_list_changes_nothing(person: Person) -> None:
    person.look([problem(key, group="g") for key in "abcd"])
    person.now += 10 * MINUTE
    decision = person.look([*(problem(key, group="g") for key in "abc"), problem("d", group="g", count=2)])
    assert (decision.send, decision.wake) == ((), None)
    assert decision.board.told["d"].count == 2


def test_a_group_that_is_solved_is_withdrawn(person: Person) -> None:
    person.look([problem("a", group="g"), problem("b", group="g")])
    assert person.look([]).withdraw == (group_key("g"),)


def test_a_closed_notice_does_not_come_back_with_less(person: Person) -> None:
    person.look([problem(key, group="g") for key in "abc"])
    person.board = person.board.close(group_key("g")).close("unknown")
    person.now += 10 * MINUTE
    decision = person.look([problem("a", group="g")])
    assert (decision.send, decision.wake) == ((), None)


def test_a_closed_notice_comes_back_with_news(person: Person) -> None:
    person.look([problem("a")])
    person.board = person.board.close("a")
    person.now += 10 * MINUTE
    assert person.look([problem("a", count=2)]).send[0].title == "a failed (2 times)"


def test_the_most_pressing_come_first_when_not_all_fit(person: Person) -> None:
    plain = [problem(f"p{number}", since=NOON - timedelta(hours=number)) for number in range(5)]
    pressing = problem("z", urgency=Urgency.CRITICAL)
    asked = question("y", urgency=Urgency.LOW)
    decision = person.look([*plain, pressing, asked])
    assert [notice.key for notice in decision.send] == ["y", "z", REST]


def test_a_notice_for_many_is_as_urgent_as_the_most_urgent(person: Person) -> None:
    person.look([problem("a", group="g", urgency=Urgency.LOW), problem("b", group="g", urgency=Urgency.CRITICAL)])
    (notice,) = person.screen.values()
    assert notice.urgency is Urgency.CRITICAL
    assert notice.text.startswith("b failed")


def test_what_did_not_fit_is_told_when_the_minute_is_over(person: Person) -> None:
    three = [problem(key) for key in "abc"]
    person.look(three)
    person.now += 10 * SECOND
    decision = person.look([*three, problem("d")])
    assert (decision.send, decision.wake) == ((), NOON + MINUTE)
    person.wait([*three, problem("d")])
    assert "d failed" in person.titles()


def test_quiet_hours_hold_everything_back_and_ask_to_be_woken_at_their_end() -> None:
    person = Person(NIGHTLY, EVENING)
    decision = person.look([problem("a"), question("b")])
    assert (decision.send, decision.wake) == ((), MORNING_TIME)


def test_the_morning_brings_one_summary_of_what_is_still_open() -> None:
    """U11"""
    person = Person(NIGHTLY, EVENING)
    person.look([problem("a"), question("b"), problem("solved in the night")])
    person.now += timedelta(hours=3)
    person.look([problem("a", count=2), question("b"), problem("c")])
    person.now = MORNING_TIME
    decision = person.look([problem("a", count=7), question("b"), problem("c")])
    (notice,) = decision.send
    assert (notice.key, notice.title) == (MORNING, "During quiet hours: 3 things need you")
    assert "a failed (7 times)" in notice.text
    assert decision.wake is None
    assert person.look([problem("a", count=7), question("b"), problem("c")]).send == ()


def test_a_morning_with_one_thing_only_tells_it_with_its_buttons() -> None:
    person = Person(NIGHTLY, EVENING)
    person.look([question("a"), problem("b")])
    person.now = MORNING_TIME
    person.look([question("a")])
    assert person.screen["a"].actions == BUTTONS


def test_a_night_in_which_all_was_solved_ends_without_a_word() -> None:
    person = Person(NIGHTLY, EVENING)
    person.look([problem("a"), problem("b")])
    person.now += timedelta(hours=1)
    assert person.look([]).wake is None
    person.now = MORNING_TIME
    assert person.look([]).send == ()


def test_questions_may_pass_by_choice_and_are_not_told_twice() -> None:
    person = Person(WITH_QUESTIONS, EVENING)
    decision = person.look([problem("a"), question("b"), problem("c")])
    assert [notice.key for notice in decision.send] == ["b"]
    assert decision.wake == MORNING_TIME
    person.now = MORNING_TIME
    person.look([problem("a"), question("b"), problem("c")])
    assert person.titles() == ["b asks", "During quiet hours: 2 things need you"]


def test_even_questions_make_no_storm_at_night() -> None:
    person = Person(WITH_QUESTIONS, EVENING)
    for number in range(50):
        person.look([question(f"q{one}") for one in range(number)])
        person.now += SECOND
    assert len(person.sent) == 3


def test_a_problem_told_in_the_evening_that_goes_on_moves_into_the_summary() -> None:
    """And out of its old notice, so that it is not on the screen twice."""
    person = Person(NIGHTLY, EVENING - timedelta(hours=2))
    person.look([problem("a"), problem("b")])
    person.now = EVENING
    person.look([problem("a", count=5), problem("b"), problem("c")])
    person.now = MORNING_TIME
    decision = person.look([problem("a", count=5), problem("b"), problem("c")])
    assert decision.withdraw == ("a",)
    assert person.board.problems_of(MORNING) == {"a", "c"}
    assert list(person.screen) == ["b", MORNING]


def test_a_question_told_at_night_that_is_asked_again_waits_for_the_morning() -> None:
    """It has disturbed once."""
    person = Person(WITH_QUESTIONS, EVENING)
    person.look([question("a")])
    person.now += timedelta(hours=1)
    assert person.look([question("a", count=2), problem("b")]).send == ()
    person.now = MORNING_TIME
    decision = person.look([question("a", count=2), problem("b")])
    assert [notice.key for notice in decision.send] == [MORNING]
    assert person.board.problems_of(MORNING) == {"a", "b"}


def test_the_summary_comes_before_what_is_new() -> None:
    person = Person(replace(NIGHTLY, at_most=2), EVENING)
    person.look([problem("a"), problem("b")])
    person.now = MORNING_TIME
    new = [question("c", urgency=Urgency.CRITICAL), question("d", urgency=Urgency.CRITICAL)]
    decision = person.look([problem("a"), problem("b"), *new])
    assert [notice.key for notice in decision.send] == [MORNING, REST]
    assert person.board.problems_of(MORNING) == {"a", "b"}


def test_a_group_that_shrinks_at_night_says_so_in_the_morning() -> None:
    person = Person(NIGHTLY, EVENING - timedelta(hours=2))
    person.look([problem(key, group="g") for key in "abc"])
    person.now = EVENING
    left = [problem("a", group="g"), problem("b", group="g")]
    decision = person.look(left)
    assert (decision.send, decision.wake) == ((), MORNING_TIME)
    person.wait(left)
    assert person.titles() == ["g: 2 things need you"]


def test_a_problem_solved_at_night_is_withdrawn_at_night() -> None:
    person = Person(NIGHTLY, EVENING - timedelta(hours=2))
    person.look([problem("a")])
    person.now = EVENING
    assert person.look([]).withdraw == ("a",)


def test_new_things_of_the_morning_come_beside_the_summary() -> None:
    person = Person(NIGHTLY, EVENING)
    person.look([problem("a"), problem("b")])
    person.now = MORNING_TIME
    decision = person.look([problem("a"), problem("b"), problem("new")])
    assert [notice.key for notice in decision.send] == [MORNING, "new"]


def test_quiet_hours_turned_off_in_the_night_tell_at_once() -> None:
    person = Person(NIGHTLY, EVENING)
    person.look([problem("a"), problem("b")])
    person.rules = Rules()
    assert [notice.key for notice in person.look([problem("a"), problem("b")]).send] == [MORNING]


def test_a_summary_waits_for_its_turn_and_is_not_forgotten() -> None:
    person = Person(WITH_QUESTIONS, MORNING_TIME - 10 * SECOND)
    night = [problem("a"), problem("b"), question("c"), question("d"), question("e")]
    person.look(night)
    person.now = MORNING_TIME
    assert person.look(night).send == ()
    person.wait(night)
    assert person.screen[MORNING].title == "During quiet hours: 2 things need you"


def test_a_clock_that_is_set_back_does_not_silence_anything(person: Person) -> None:
    three = [problem(key) for key in "abc"]
    person.look(three)
    person.now -= timedelta(days=1)
    assert [notice.key for notice in person.look([*three, problem("d")]).send] == ["d"]
    assert [notice.title for notice in person.look([problem("a", count=2)]).send] == ["a failed (2 times)"]


def test_keys_of_problems_and_of_notices_for_many_cannot_meet() -> None:
    with pytest.raises(ValueError, match="must not begin"):
        problem(group_key("g"))
