"""Which notices to send and to withdraw: a function of the open problems, of what was told, and of now. Pure.

Every open problem has at most one home, the notice that tells of it: its own, that of its group, that of the morning
after quiet hours, or that of the rest when there would be too many.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo

from app.notices.notice import Notice
from app.notices.problems import MORNING, REST, Problem, group_key, write
from app.notices.quiet import QuietHours

Keys = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    quiet: QuietHours | None = None
    at_most: int = 3
    """So many notices `within` that time, whatever happens."""
    within: timedelta = timedelta(minutes=1)
    repeat: timedelta = timedelta(minutes=1)
    """How long a notice stands before only its counter changes it."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the person was told of a problem: in which notice, and how often it had happened."""

    home: str
    count: int


@dataclass(frozen=True, slots=True)
class Shown:
    notice: Notice
    at: datetime
    is_closed: bool = False
    """The person closed it, or it went away by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What was told so far; a new process begins with an empty one."""

    told: Mapping[str, Told] = field(default_factory=dict)
    shown: Mapping[str, Shown] = field(default_factory=dict)
    sent: tuple[datetime, ...] = ()
    held: frozenset[str] = frozenset()
    """Problems of which quiet hours kept the news back."""

    def problems_of(self, notice: str) -> frozenset[str]:
        """The problems that a notice tells of."""
        return frozenset(key for key, told in self.told.items() if told.home == notice)

    def close(self, notice: str) -> "Board":
        """It is not on the screen any longer: only news bring it back."""
        if notice not in self.shown:
            return self
        return replace(self, shown={**self.shown, notice: replace(self.shown[notice], is_closed=True)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    board: Board
    send: tuple[Notice, ...]
    withdraw: tuple[str, ...]
    wake: datetime | None
    """Decide again then, even if nothing happens; always later than now."""


def decide(board: Board, problems: Iterable[Problem], rules: Rules, now: datetime, zone: tzinfo) -> Decision:
    """`problems` are all that are open now; what is missing was solved. `zone` is that of the person's clock."""
    still = {problem.key: problem for problem in problems}
    told = {key: value for key, value in board.told.items() if key in still}
    news = _news(still, told)
    quiet = rules.quiet if rules.quiet is not None and rules.quiet.hold_at(now, zone) else None
    held = board.held & still.keys()
    if quiet is not None:
        held |= {key for key in news if key in told or not (quiet.approvals_pass and still[key].is_question)}
    recent = tuple(at for at in board.sent if _is_recent(at, rules.within, now))
    free = max(rules.at_most - len(recent), 0)

    kept_back = held if quiet is not None else Keys()
    morning = held if quiet is None and len(held) > 1 else Keys()
    drafts = _draft(still, told, news - kept_back, morning)
    chosen = _fit(drafts, still, free)
    homes = {key: value.home for key, value in told.items()}
    homes |= {key: home for home, keys in chosen.items() for key in keys}
    written = _write(homes, still)
    changed = [home for home in written if home not in chosen and _is_outdated(board.shown[home], written, homes, news)]
    ready = [home for home in changed if quiet is None and not _is_recent(board.shown[home].at, rules.repeat, now)]
    updated = ready[: free - len(chosen)]

    send = tuple(written[home] for home in (*chosen, *updated))
    shown = {home: one for home, one in board.shown.items() if home in written}
    shown |= {notice.key: Shown(notice, now) for notice in send}
    # A counter that is not among those listed changes no word, and counts as told.
    current = {home for home, one in shown.items() if one.notice == written[home]}
    told = {key: Told(home, still[key].count if home in current else told[key].count) for key, home in homes.items()}
    held = Keys() if quiet is None and not morning else held & _news(still, told)
    sent = recent + (now,) * len(send)
    wakes = [board.shown[home].at + rules.repeat for home in changed if quiet is None and home not in ready]
    if sent and (len(updated) < len(ready) or (drafts and not chosen)):
        wakes.append(sent[0] + rules.within)
    if quiet is not None and (held or changed):
        wakes.append(quiet.end_after(now, zone))
    return Decision(
        board=Board(told=told, shown=shown, sent=sent, held=held),
        send=send,
        withdraw=tuple(home for home in board.shown if home not in written),
        wake=min(wakes, default=None),
    )


def _is_recent(at: datetime, span: timedelta, now: datetime) -> bool:
    """What lies ahead is from before the clock was set back, and counts no longer."""
    return timedelta() <= now - at < span


def _news(still: Mapping[str, Problem], told: Mapping[str, Told]) -> frozenset[str]:
    """What the person was not told yet, or not that it happened again."""
    return frozenset(key for key, problem in still.items() if key not in told or told[key].count != problem.count)


def _draft(still: Mapping[str, Problem], told: Mapping[str, Told], news: Keys, morning: Keys) -> dict[str, Keys]:
    """A home for each problem that needs one: by itself if it is the only new one of its group."""
    drafts: dict[str, Keys] = {MORNING: morning} if morning else {}
    taken = {value.home for value in told.values()}
    groups: dict[str, Keys] = {}
    for key in sorted(news - told.keys() - morning):
        groups[still[key].group] = groups.get(still[key].group, Keys()) | {key}
    for group, keys in groups.items():
        shared = group_key(group)
        drafts[shared if shared in taken or len(keys) > 1 else min(keys)] = keys
    return drafts


def _fit(drafts: Mapping[str, Keys], still: Mapping[str, Problem], free: int) -> dict[str, Keys]:
    """The most pressing ones, and one for all the rest if there are too many."""

    def press(home: str) -> tuple[bool, bool, int, datetime, str]:
        members = [still[key] for key in drafts[home]]
        return (
            home != MORNING,
            not any(problem.is_question for problem in members),
            -max(problem.rank for problem in members),
            min(problem.since for problem in members),
            home,
        )

    if not free:
        return {}
    ordered = sorted(drafts, key=press)
    if len(ordered) <= free:
        return {home: drafts[home] for home in ordered}
    chosen = {home: drafts[home] for home in ordered[: free - 1]}
    chosen[REST] = Keys().union(*(drafts[home] for home in ordered[free - 1 :]))
    return chosen


def _write(homes: Mapping[str, str], still: Mapping[str, Problem]) -> dict[str, Notice]:
    members: dict[str, list[Problem]] = {}
    for key, home in homes.items():
        members.setdefault(home, []).append(still[key])
    return {home: write(home, problems) for home, problems in members.items()}


def _is_outdated(shown: Shown, written: Mapping[str, Notice], homes: Mapping[str, str], news: Keys) -> bool:
    """One that was closed is not brought back only because it has less to tell."""
    home = shown.notice.key
    if written[home] == shown.notice:
        return False
    return not shown.is_closed or any(homes.get(key) == home for key in news)
