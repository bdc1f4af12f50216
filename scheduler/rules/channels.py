"""What goes to a channel, when, and in how many messages: a function of stored facts and now. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import Any

from scheduler.rules.quiet_hours import QuietHours
from scheduler.rules.requests import RequestAction, RequestKind
from scheduler.user_text import UserText

HOUR = timedelta(hours=1)
MAX_TOGETHER = 3
"""More messages than this at once are summarized."""
MAX_MINUTES, MAX_HOURLY = 24 * 60, 60


class ChannelTopic(StrEnum):
    QUESTIONS = "questions"
    """What the user is asked before something is done."""
    PROBLEMS = "problems"
    """What failed or needs attention."""
    MESSAGES = "messages"
    """What scripts tell the user."""


class ChannelTiming(StrEnum):
    ALWAYS = "always"
    AWAY = "away"
    """The screen is locked, the computer was not used for some minutes, or nobody answered for that long."""


class CodeUse(StrEnum):
    """When an answer must be confirmed with a code."""

    NEVER = "never"
    LASTING = "lasting"
    """Before what cannot be undone."""
    ALWAYS = "always"


_RUN_AGAIN = (RequestAction.RETRY,)
_WHAT_HAPPENED = (RequestAction.HAPPENED, RequestAction.NOT_HAPPENED)
_ANSWERS = {
    RequestKind.APPROVAL: (RequestAction.APPROVE, RequestAction.REJECT),
    RequestKind.UNSURE: _WHAT_HAPPENED,
    RequestKind.INTERRUPTED: _WHAT_HAPPENED,
    RequestKind.RUN_FAILED: _RUN_AGAIN,
    RequestKind.RUN_INTERRUPTED: _RUN_AGAIN,
    RequestKind.SCRIPT_ERROR: _RUN_AGAIN,
    RequestKind.TOO_MANY_FAILURES: _RUN_AGAIN,
}
_QUESTIONS = (
    RequestKind.APPROVAL,
    RequestKind.QUESTION,
    RequestKind.PERMISSION,
    RequestKind.UNSURE,
    RequestKind.INTERRUPTED,
    RequestKind.FIX,
)
HARMLESS_ACTIONS = frozenset({RequestAction.REJECT})
"""What needs no code: nothing is done then."""


def list_answers(kind: RequestKind) -> tuple[RequestAction, ...]:
    """What may be answered through a channel. Lasting permissions and repairs are only decided at this computer."""
    return _ANSWERS.get(kind, ())


def topic_of(kind: RequestKind) -> ChannelTopic:
    return ChannelTopic.QUESTIONS if kind in _QUESTIONS else ChannelTopic.PROBLEMS


class BadChannelRuleError(ValueError):
    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelRules:
    """What the user chose for one channel."""

    is_on: bool = True
    topics: tuple[ChannelTopic, ...] = tuple(ChannelTopic)
    workflows: tuple[str, ...] = ()
    """Empty means all."""
    timing: ChannelTiming = ChannelTiming.AWAY
    minutes: int = 5
    is_quiet: bool = False
    quiet_from: time = time(22)
    quiet_until: time = time(7)
    questions_pass: bool = False
    """Whether questions are sent in quiet hours."""
    hourly: int = 12
    shows_call: bool = False
    """Whether the server may see exactly what would be done."""
    code: CodeUse = CodeUse.LASTING
    to: str = ""
    """The recipient, for channels that have no other way to know."""

    @property
    def quiet(self) -> QuietHours | None:
        if not self.is_quiet:
            return None
        return QuietHours(start=self.quiet_from, end=self.quiet_until, approvals_pass=self.questions_pass)

    def covers(self, topic: ChannelTopic, workflows: Collection[str]) -> bool:
        return (
            self.is_on and topic in self.topics and (not self.workflows or not {*workflows}.isdisjoint(self.workflows))
        )

    def to_json(self) -> dict[str, Any]:
        return {one.name: _to_json(getattr(self, one.name)) for one in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelItem:
    """Something open that may be sent."""

    key: str
    topic: ChannelTopic
    workflows: tuple[str, ...]
    since: datetime


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether somebody uses this computer. Unknown counts as nobody: better one message too many."""

    is_locked: bool | None = None
    idle_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelDecision:
    single: tuple[str, ...] = ()
    """Each in its own message."""
    summary: tuple[str, ...] = ()
    """Together in one message."""
    dropped: tuple[str, ...] = ()
    """Messages of scripts that the user sees at this computer."""
    wake_at: datetime | None = None
    """When to decide again even if nothing changes; always later than now."""


def decide(
    items: Iterable[ChannelItem],
    covered: Collection[str],
    sent: Iterable[datetime],
    rules: ChannelRules,
    presence: Presence,
    now: datetime,
    zone: tzinfo,
) -> ChannelDecision:
    """`covered`: what a message was sent about before; `sent`: when the last messages were sent."""
    wanted = [one for one in items if one.key not in covered and rules.covers(one.topic, one.workflows)]
    if not wanted:
        return ChannelDecision()
    wakes: list[datetime] = []
    quiet = rules.quiet if rules.quiet is not None and rules.quiet.is_active_at(now, zone) else None
    due, dropped = [], []
    for one in wanted:
        if one.topic is ChannelTopic.MESSAGES and _is_present(rules, presence, now):
            dropped.append(one.key)
            continue
        at = _due_at(one, rules, presence, now)
        if quiet is not None and not (quiet.approvals_pass and one.topic is ChannelTopic.QUESTIONS):
            at = max(at, quiet.end_after(now, zone))
        if at <= now:
            due.append(one)
        else:
            wakes.append(at)
    recent = sorted(at for at in sent if timedelta() <= now - at < HOUR)
    free = max(rules.hourly - len(recent), 0)
    if due and not free:
        wakes.append(recent[len(recent) - rules.hourly] + HOUR)
        due = []
    due.sort(key=lambda one: (one.topic is not ChannelTopic.QUESTIONS, one.since, one.key))
    most = min(free, MAX_TOGETHER)
    single = due if len(due) <= most else due[: most - 1]
    return ChannelDecision(
        single=tuple(one.key for one in single),
        summary=tuple(one.key for one in due[len(single) :]),
        dropped=tuple(dropped),
        wake_at=min(wakes, default=None),
    )


def _is_present(rules: ChannelRules, presence: Presence, now: datetime) -> bool:
    """Whether the user sees what is shown at this computer, and wants nothing else then."""
    if rules.timing is ChannelTiming.ALWAYS or presence.is_locked or presence == Presence():
        return False
    return presence.idle_since is None or now - presence.idle_since < timedelta(minutes=rules.minutes)


def _due_at(one: ChannelItem, rules: ChannelRules, presence: Presence, now: datetime) -> datetime:
    """When it may be sent, apart from quiet hours."""
    span = timedelta(minutes=rules.minutes)
    if rules.timing is ChannelTiming.ALWAYS or presence.is_locked or presence == Presence():
        return now
    unanswered = one.since + span
    return unanswered if presence.idle_since is None else min(unanswered, presence.idle_since + span)


def parse_rules(written: Mapping[str, Any]) -> ChannelRules:
    """As stored; what is invalid or unknown gets its default."""
    chosen: dict[str, Any] = {}
    for name, value in written.items():
        try:
            chosen |= parse_rule(name, value)
        except BadChannelRuleError:
            continue
    return ChannelRules(**chosen)


def parse_rule(name: str, value: Any) -> dict[str, Any]:
    """One rule, from JSON or as typed; BadChannelRuleError says what is wrong."""
    try:
        return {name: _PARSERS[name](value)}
    except KeyError:
        known = ", ".join(_PARSERS)
        raise BadChannelRuleError(
            UserText('There is no channel setting "{name}". Choose one of: {known}.', name=name, known=known)
        ) from None
    except (ValueError, TypeError):
        allowed = ALLOWED[name]
        raise BadChannelRuleError(
            UserText("{name} must be {allowed}, not {value}.", name=name, allowed=allowed, value=str(value)[:60])
        ) from None


def _parse_flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    return {"on": True, "yes": True, "true": True, "off": False, "no": False, "false": False}[str(value).lower()]


def _flag(value: Any) -> bool:
    try:
        return _parse_flag(value)
    except KeyError:
        raise ValueError(value) from None


def _words(value: Any) -> tuple[str, ...]:
    words = value.replace(",", " ").split() if isinstance(value, str) else [str(one) for one in value]
    return () if words == ["all"] else tuple(dict.fromkeys(words))


def _topics(value: Any) -> tuple[ChannelTopic, ...]:
    chosen = {ChannelTopic(one) for one in _words(value)} if value != "all" else {*ChannelTopic}
    return tuple(one for one in ChannelTopic if one in chosen)


def _number(most: int) -> Any:
    def parse(value: Any) -> int:
        number = int(value)
        if isinstance(value, bool) or not 1 <= number <= most:
            raise ValueError(value)
        return number

    return parse


def _time(value: Any) -> time:
    return time.fromisoformat(value).replace(second=0, microsecond=0, tzinfo=None)


def _line(value: Any) -> str:
    if not isinstance(value, str) or not (value.isprintable() or not value):
        raise ValueError(value)
    return value.strip()


_PARSERS: Mapping[str, Any] = {
    "is_on": _flag,
    "topics": _topics,
    "workflows": _words,
    "timing": ChannelTiming,
    "minutes": _number(MAX_MINUTES),
    "is_quiet": _flag,
    "quiet_from": _time,
    "quiet_until": _time,
    "questions_pass": _flag,
    "hourly": _number(MAX_HOURLY),
    "shows_call": _flag,
    "code": CodeUse,
    "to": _line,
}
_ON_OFF = UserText("on or off")
_CLOCK = UserText("a time such as 22:00")
ALLOWED: Mapping[str, str] = {
    "is_on": _ON_OFF,
    "topics": UserText("any of questions, problems and messages, with commas between"),
    "workflows": UserText("names of workflows with commas between, or all"),
    "timing": UserText("always or away"),
    "minutes": UserText("a number from 1 to 1440"),
    "is_quiet": _ON_OFF,
    "quiet_from": _CLOCK,
    "quiet_until": _CLOCK,
    "questions_pass": _ON_OFF,
    "hourly": UserText("a number from 1 to 60"),
    "shows_call": _ON_OFF,
    "code": UserText("never, lasting or always"),
    "to": UserText("an address on one line"),
}


def _to_json(value: Any) -> Any:
    if isinstance(value, tuple):
        return [str(one) for one in value]
    return f"{value:%H:%M}" if isinstance(value, time) else value
