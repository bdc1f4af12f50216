"""The text of notifications about open problems: one each, or a summary of several; made safe to show. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from app.notifications.notification import Notification, Urgency
from app.widgets.visible_text import escape_invisible

OPEN = "open"
"""The action of a summary: show all its problems."""
SUMMARY_PREFIX = "many:"
"""Prefix of the keys of summaries."""
QUIET_HOURS_SUMMARY = f"{SUMMARY_PREFIX}morning"
REST_SUMMARY = f"{SUMMARY_PREFIX}rest"
_MAX_LISTED = 3
_MAX_CHARS = 1000
_RANKS = list(Urgency)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenProblem:
    """Something that needs the user's attention, for as long as it is open."""

    key: str
    title: str
    text: str = ""
    actions: tuple[tuple[str, str], ...] = ()
    urgency: Urgency = Urgency.NORMAL
    group: str = ""
    """Name of the account it belongs to, or else of the workflow."""
    is_question: bool = False
    """Asks for an approval."""
    count: int = 1
    """How often it happened."""
    reminders: int = 0
    """How often the user was reminded of it since: each shows it again."""
    since: datetime

    def __post_init__(self) -> None:
        if self.key.startswith(SUMMARY_PREFIX):
            raise ValueError(f"The key of a problem must not start with {SUMMARY_PREFIX!r}.")

    @property
    def news(self) -> int:
        """Grows whenever it is to be shown again."""
        return self.count + self.reminders

    @property
    def rank(self) -> int:
        return _RANKS.index(self.urgency)


def group_key(group: str) -> str:
    return f"{SUMMARY_PREFIX}group:{group}"


def make_notification(key: str, problems: Sequence[OpenProblem]) -> Notification:
    """The notification with that key for these problems. Only a problem's own notification has its buttons."""
    ordered = sorted(problems, key=lambda problem: (-problem.rank, problem.since, problem.key))
    first = ordered[0]
    if key == first.key:
        return Notification(
            key=key,
            title=_title_with_count(first),
            text=first.text,
            actions=first.actions,
            urgency=first.urgency,
            group=first.group,
        )
    is_single = len(ordered) == 1
    return Notification(
        key=key,
        title=_title_with_count(first) if is_single else _summary_title(key, ordered),
        text=first.text if is_single else _list_text(key, ordered),
        actions=((OPEN, QCoreApplication.translate("notices", "Open")),),
        urgency=first.urgency,
        group=first.group if key == group_key(first.group) else "",
    )


def _title_with_count(problem: OpenProblem) -> str:
    return _add_count(problem.title, problem.count)


def _add_count(text: str, number: int) -> str:
    if number < 2:
        return text
    times = QCoreApplication.translate("notices", "%1 (%2 times)")
    return times.replace("%2", str(number)).replace("%1", text)


def _summary_title(key: str, problems: Sequence[OpenProblem]) -> str:
    number, group = str(len(problems)), problems[0].group
    if key == QUIET_HOURS_SUMMARY:
        quiet = QCoreApplication.translate("notices", "During quiet hours: %1 items need your attention")
        return quiet.replace("%1", number)
    if group and key == group_key(group):
        named = QCoreApplication.translate("notices", "%2: %1 items need your attention")
        return named.replace("%1", number).replace("%2", group)
    return QCoreApplication.translate("notices", "%1 items need your attention").replace("%1", number)


def _list_line(key: str, problem: OpenProblem) -> str:
    """The problem's title, or its first line of text if the summary's title already says the same."""
    text = problem.text.partition("\n")[0]
    is_repeated = problem.title == problem.group and key == group_key(problem.group)
    return text if text and is_repeated else _title_with_count(problem)


def _list_text(key: str, problems: Sequence[OpenProblem]) -> str:
    """Each line once, with how often it occurs."""
    counted = list(Counter(_list_line(key, problem) for problem in problems).items())[:_MAX_LISTED]
    lines = [_add_count(line, number) for line, number in counted]
    if (more := len(problems) - sum(number for _, number in counted)) > 0:
        lines.append(QCoreApplication.translate("notices", "and %1 more").replace("%1", str(more)))
    return "\n".join(lines)


def sanitize(notification: Notification) -> Notification:
    """The same notification with clean text, and its title on one line."""
    return replace(
        notification,
        title=" ".join(_clean(notification.title).split()),
        text=_clean(notification.text),
        actions=tuple((_clean(action), _clean(label)) for action, label in notification.actions),
    )


def _clean(text: str) -> str:
    """Without hidden characters, and cut to a length that every system accepts."""
    cut = text if len(text) <= _MAX_CHARS else f"{text[: _MAX_CHARS - 1]}…"
    return escape_invisible(cut.replace("\t", " "))
