"""Which notifications to send and to withdraw: a function of the open problems, of what was shown, and of now. Pure.

Every open problem has at most one home, the notification that shows it: its own, the summary of its group, the summary
after quiet hours, or the summary of the rest when there would be too many.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta, tzinfo

from app.notifications.content import QUIET_HOURS_SUMMARY, REST_SUMMARY, OpenProblem, group_key, make_notification
from app.notifications.notification import Notification
from scheduler.rules.quiet_hours import QuietHours

Keys = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationRules:
    quiet: QuietHours | None = None
    at_most: int = 3
    """Maximum number of notifications `within` that time."""
    within: timedelta = timedelta(minutes=1)
    repeat: timedelta = timedelta(minutes=1)
    """Minimum time between two updates of a notification."""


@dataclass(frozen=True, slots=True)
class ShownProblem:
    """What the user was shown of a problem: in which notification, and how new it was."""

    home: str
    news: int


@dataclass(frozen=True, slots=True)
class ShownNotification:
    notification: Notification
    at: datetime
    is_closed: bool = False
    """The user closed it, or it expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationState:
    """What was shown so far; empty when the process starts."""

    shown_problems: Mapping[str, ShownProblem] = field(default_factory=dict)
    shown: Mapping[str, ShownNotification] = field(default_factory=dict)
    sent: tuple[datetime, ...] = ()
    held: frozenset[str] = frozenset()
    """Problems with changes that were held back by quiet hours."""

    def problems_of(self, key: str) -> frozenset[str]:
        """The problems that a notification shows."""
        return frozenset(problem for problem, shown in self.shown_problems.items() if shown.home == key)

    def close(self, key: str) -> "NotificationState":
        """It is no longer on the screen: only a new or repeated problem brings it back."""
        if key not in self.shown:
            return self
        return replace(self, shown={**self.shown, key: replace(self.shown[key], is_closed=True)})


@dataclass(frozen=True, slots=True, kw_only=True)
class NotificationDecision:
    state: NotificationState
    send: tuple[Notification, ...]
    withdraw: tuple[str, ...]
    wake_at: datetime | None
    """When to decide again even if nothing changes; always later than now."""


def decide(
    state: NotificationState, problems: Iterable[OpenProblem], rules: NotificationRules, now: datetime, zone: tzinfo
) -> NotificationDecision:
    """`problems` are all open ones; those missing were solved. `zone` is the user's time zone."""
    current = {problem.key: problem for problem in problems}
    told = {key: value for key, value in state.shown_problems.items() if key in current}
    changed_keys = _changed_keys(current, told)
    quiet = rules.quiet if rules.quiet is not None and rules.quiet.is_active_at(now, zone) else None
    held = state.held & current.keys()
    if quiet is not None:
        held |= {key for key in changed_keys if key in told or not (quiet.approvals_pass and current[key].is_question)}
    recent = tuple(at for at in state.sent if _is_recent(at, rules.within, now))
    free = max(rules.at_most - len(recent), 0)

    kept_back = held if quiet is not None else Keys()
    morning = held if quiet is None and len(held) > 1 else Keys()
    drafts = _assign_homes(current, told, changed_keys - kept_back, morning)
    chosen = _limit(drafts, current, free)
    homes = {key: value.home for key, value in told.items()}
    homes |= {key: home for home, keys in chosen.items() for key in keys}
    written = _make_notifications(homes, current)
    changed = [
        home for home in written if home not in chosen and _is_outdated(state.shown[home], written, homes, changed_keys)
    ]
    ready = [home for home in changed if quiet is None and not _is_recent(state.shown[home].at, rules.repeat, now)]
    updated = ready[: free - len(chosen)]

    send = tuple(written[home] for home in (*chosen, *updated))
    shown = {home: one for home, one in state.shown.items() if home in written}
    shown |= {notification.key: ShownNotification(notification, now) for notification in send}
    # A changed counter that does not change the text counts as shown.
    up_to_date = {home for home, one in shown.items() if one.notification == written[home]}
    told = {
        key: ShownProblem(home, current[key].news if home in up_to_date else told[key].news)
        for key, home in homes.items()
    }
    held = Keys() if quiet is None and not morning else held & _changed_keys(current, told)
    sent = recent + (now,) * len(send)
    wakes = [state.shown[home].at + rules.repeat for home in changed if quiet is None and home not in ready]
    if sent and (len(updated) < len(ready) or (drafts and not chosen)):
        wakes.append(sent[0] + rules.within)
    if quiet is not None and (held or changed):
        wakes.append(quiet.end_after(now, zone))
    return NotificationDecision(
        state=NotificationState(shown_problems=told, shown=shown, sent=sent, held=held),
        send=send,
        withdraw=tuple(home for home in state.shown if home not in written),
        wake_at=min(wakes, default=None),
    )


def _is_recent(at: datetime, span: timedelta, now: datetime) -> bool:
    """A time in the future is from before the clock was set back, and does not count."""
    return timedelta() <= now - at < span


def _changed_keys(current: Mapping[str, OpenProblem], told: Mapping[str, ShownProblem]) -> frozenset[str]:
    """Problems that were not shown yet, that happened again since, or that the user is to be reminded of."""
    return frozenset(key for key, problem in current.items() if key not in told or told[key].news != problem.news)


def _assign_homes(
    current: Mapping[str, OpenProblem], told: Mapping[str, ShownProblem], changed_keys: Keys, morning: Keys
) -> dict[str, Keys]:
    """A home for each problem that needs one: its own if it is the only new one of its group."""
    drafts: dict[str, Keys] = {QUIET_HOURS_SUMMARY: morning} if morning else {}
    taken = {value.home for value in told.values()}
    groups: dict[str, Keys] = {}
    for key in sorted(changed_keys - told.keys() - morning):
        groups[current[key].group] = groups.get(current[key].group, Keys()) | {key}
    for group, keys in groups.items():
        shared = group_key(group)
        drafts[shared if shared in taken or len(keys) > 1 else min(keys)] = keys
    return drafts


def _limit(drafts: Mapping[str, Keys], current: Mapping[str, OpenProblem], free: int) -> dict[str, Keys]:
    """The most urgent ones, and one summary of the rest if there are too many."""

    def priority(home: str) -> tuple[bool, bool, int, datetime, str]:
        members = [current[key] for key in drafts[home]]
        return (
            home != QUIET_HOURS_SUMMARY,
            not any(problem.is_question for problem in members),
            -max(problem.rank for problem in members),
            min(problem.since for problem in members),
            home,
        )

    if not free:
        return {}
    ordered = sorted(drafts, key=priority)
    if len(ordered) <= free:
        return {home: drafts[home] for home in ordered}
    chosen = {home: drafts[home] for home in ordered[: free - 1]}
    chosen[REST_SUMMARY] = Keys().union(*(drafts[home] for home in ordered[free - 1 :]))
    return chosen


def _make_notifications(homes: Mapping[str, str], current: Mapping[str, OpenProblem]) -> dict[str, Notification]:
    members: dict[str, list[OpenProblem]] = {}
    for key, home in homes.items():
        members.setdefault(home, []).append(current[key])
    return {home: make_notification(home, problems) for home, problems in members.items()}


def _is_outdated(
    shown: ShownNotification, written: Mapping[str, Notification], homes: Mapping[str, str], changed_keys: Keys
) -> bool:
    """A closed one does not come back merely because some of its problems were solved."""
    home = shown.notification.key
    if written[home] == shown.notification:
        return False
    return not shown.is_closed or any(homes.get(key) == home for key in changed_keys)
