"""A story: what happens to a desktop over days or a year, as a list of steps that follows from one seed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.runs.knowing_user import WORDS
from tests.runs.simulated_workers import FAULTS
from tests.simulation.workflows import choose_acting, choose_chores

_DAY_MINUTES = 24 * 60
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC")
_FAILURES = ("transient", "auth", "permission", "logic", "unsure", "internal")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens; `name` is a method of the simulated desktop."""

    name: str
    values: dict[str, Any]

    def __str__(self) -> str:
        return f"desktop.{self.name}({', '.join(f'{name}={value!r}' for name, value in self.values.items())})"


def tell_story(seed: int, days: int) -> list[Step]:
    """Each step also makes sense without those before it, so that a failing story can be shortened."""
    random = Random(seed)
    story = [
        Step("deploy_acting", {"options": choose_acting(random), "allowed": True}),
        Step("deploy_chores", {"options": choose_chores(random)}),
    ]
    troubles = random.sample(TROUBLES, k=random.randint(4, len(TROUBLES)))
    for _ in range(days):
        story += _tell_day(random, troubles)
    return story


def _tell_day(random: Random, troubles: "list[Chapter]") -> Iterator[Step]:
    night = random.randint(5, 10) * 60
    yield from _tell_evenings_end(random, night)
    left = _DAY_MINUTES - night
    user_is_there = random.random() < 0.8
    while left > 0:
        minutes = min(left, random.choice([7, 45, 120, 300]))
        left -= minutes
        for _ in range(random.choice([0, 0, 1, 2])):
            yield from random.choice(CHAPTERS)(random)
        if random.random() < 0.35:
            yield from random.choice(troubles)(random)
        yield Step("work", {"minutes": minutes})
        if user_is_there and random.random() < 0.4:
            yield from _tell_answers(random)


def _tell_evenings_end(random: Random, minutes: int) -> Iterator[Step]:
    kind = random.choice(["sleep", "sleep", "shut_down", "work", "crash"])
    moves = {"moves": _moves(random)} if kind in ("sleep", "crash") else {}
    yield Step(kind, {"minutes": minutes, **moves})


def _tell_answers(random: Random) -> Iterator[Step]:
    for _ in range(random.choice([1, 1, 2, 4])):
        yield Step(
            "answer",
            {
                "place": random.randrange(4),
                "word": random.choice(["yes", "yes", "yes", *WORDS]),
                "mistaken": random.random() < 0.05,
            },
        )


def _moves(random: Random) -> list[int]:
    """Which thread goes one step further, again and again: where the processes are when something happens."""
    return [random.randrange(3) for _ in range(random.choice([0, 1, 2, 3, 5, 8, 13]))]


Chapter = Callable[[Random], Iterator[Step]]


def _one(step: str, /, **choices: Callable[[Random], Any]) -> Chapter:
    def tell(random: Random) -> Iterator[Step]:
        yield Step(step, {value: choose(random) for value, choose in choices.items()})

    return tell


def _in(*values: Any) -> Callable[[Random], Any]:
    return lambda random: random.choice(values)


def _coin(random: Random) -> bool:
    return random.random() < 0.5


def _tell_offline(random: Random) -> Iterator[Step]:
    yield Step("go_offline", {})
    yield Step("work", {"minutes": random.choice([30, 200, 900])})
    yield Step("go_online", {})


def _tell_locked_keyring(random: Random) -> Iterator[Step]:
    yield Step("lock_keyring", {})
    yield Step("work", {"minutes": random.choice([30, 400])})
    yield Step("unlock_keyring", {})


def _tell_clock_trouble(random: Random) -> Iterator[Step]:
    """The clock is wrong for a while; what happened then stays."""
    yield Step("sleep", {"minutes": random.choice([1, 90, 1800]), "moves": _moves(random)})
    yield Step("set_clock_back", {"minutes": random.choice([1, 20, 180])})


TROUBLES: list[Chapter] = [
    _one("crash", minutes=_in(0, 1, 50), moves=_moves),
    _one("services_fail", kind=_in(*_FAILURES), number=_in(1, 2, 5), happens=_coin),
    _one("services_fail", kind=_in("unsure"), number=_in(1, 2), happens=_coin),
    _one("services_act_late", number=_in(1, 2, 3), seconds=_in(1, 10, 59)),
    _one("checkers_lag", seconds=_in(5, 30, 59)),
    _one("services_lie", number=_in(1, 2)),
    _one("reads_fail", kind=_in(*_FAILURES), number=_in(1, 4, 9)),
    _one("checks_fail", kind=_in("transient", "auth", "unsure"), number=_in(1, 3, 6)),
    _one("phases_fail", fault=_in(*FAULTS), after=_in(0, 1, 3)),
    _one("workers_fail", why=_in("no worker", "bad script"), number=_in(1, 4)),
    _one("fill_disk", writes=_in(1, 2, 7)),
    _tell_offline,
    _tell_locked_keyring,
    _tell_clock_trouble,
    _one("travel", zone=_in(*ZONES)),
]
CHAPTERS: list[Chapter] = [
    *[_one("receive", number=_in(1, 2, 3))] * 20,
    *[_one("sleep", minutes=_in(2, 20, 90), moves=_moves)] * 6,
    _one("publish", name=lambda random: f"p{random.randrange(30)}", data=_in(0, 1, 2)),
    _one("run_now", handler=_in("p", "j"), when_finished=_coin),
    _one("stop", what=_in("w", "w/p", "w/C", "w/j"), kill=_coin, moves=_moves),
    _one("pause", workflow=_in("w", "chores"), minutes=_in(90, 600, 4000, None)),
    *[_one("resume", workflow=_in("w", "chores"))] * 4,
    _one("pause_all", minutes=_in(30, 90, 600, None)),
    *[_one("resume_all")] * 4,
    _one("resume_job", workflow=_in("w/j", "chores/tidy", "chores/check_disks")),
    _one("edit_schedule", schedule=_in("chores/backup", "chores/tidy"), hour=_in(1, 2, 3, 14)),
    _one("skip_next", schedule=_in("chores/backup", "chores/report", "w/p")),
    _one("backfill", schedule=_in("chores/report", "chores/tidy"), days=_in(1, 3), missing=_coin),
    _one("dismiss"),
    *[_one("retry", workflow=_in("w", "chores"))] * 4,
    _one("revoke"),
    _one("deploy_acting", options=choose_acting, allowed=_coin),
    _one("deploy_chores", options=choose_chores),
    _one("import_jobs", hour=_in(6, 22)),
    _one("remove_imported"),
    _one("upgrade"),
]
