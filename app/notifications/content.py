"""What needs the person, and the notice that says so: one problem by itself, or several in one. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from app.notices.notice import Notice, Urgency

OPEN = "open"
"""The action of a notice that stands for several problems: show them all."""
MANY = "many:"
"""How the keys of such notices begin."""
MORNING = f"{MANY}morning"
REST = f"{MANY}rest"
_LISTED = 3
_RANKS = list(Urgency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that needs the person, as long as it does."""

    key: str
    title: str
    text: str = ""
    actions: tuple[tuple[str, str], ...] = ()
    urgency: Urgency = Urgency.NORMAL
    group: str = ""
    """The account (or else the workflow) that it belongs to, by its name."""
    is_question: bool = False
    """It asks for an approval."""
    count: int = 1
    """How often it happened."""
    since: datetime

    def __post_init__(self) -> None:
        if self.key.startswith(MANY):
            raise ValueError(f"The key of a problem must not begin with {MANY!r}.")

    @property
    def rank(self) -> int:
        return _RANKS.index(self.urgency)


def group_key(group: str) -> str:
    return f"{MANY}group:{group}"


def write(key: str, problems: Sequence[Problem]) -> Notice:
    """The notice with that key for these problems. A problem's own notice alone has the problem's own buttons."""
    ordered = sorted(problems, key=lambda problem: (-problem.rank, problem.since, problem.key))
    first = ordered[0]
    if key == first.key:
        return Notice(
            key=key,
            title=_counted(first),
            text=first.text,
            actions=first.actions,
            urgency=first.urgency,
            group=first.group,
        )
    alone = len(ordered) == 1
    return Notice(
        key=key,
        title=_counted(first) if alone else _title(key, ordered),
        text=first.text if alone else _list(key, ordered),
        actions=((OPEN, QCoreApplication.translate("notices", "Open")),),
        urgency=first.urgency,
        group=first.group if key == group_key(first.group) else "",
    )


def _counted(problem: Problem) -> str:
    if problem.count < 2:
        return problem.title
    times = QCoreApplication.translate("notices", "%1 (%2 times)")
    return times.replace("%2", str(problem.count)).replace("%1", problem.title)


def _title(key: str, problems: Sequence[Problem]) -> str:
    number, group = str(len(problems)), problems[0].group
    if key == MORNING:
        return QCoreApplication.translate("notices", "During quiet hours: %1 things need you").replace("%1", number)
    if group and key == group_key(group):
        named = QCoreApplication.translate("notices", "%2: %1 things need you")
        return named.replace("%1", number).replace("%2", group)
    return QCoreApplication.translate("notices", "%1 things need you").replace("%1", number)


def _line(key: str, problem: Problem) -> str:
    """Its title, or what it says where the title of all names the same already."""
    said = problem.text.partition("\n")[0]
    return said if said and problem.title == problem.group and key == group_key(problem.group) else _counted(problem)


def _list(key: str, problems: Sequence[Problem]) -> str:
    lines = [_line(key, problem) for problem in problems[:_LISTED]]
    if (more := len(problems) - _LISTED) > 0:
        lines.append(QCoreApplication.translate("notices", "and %1 more").replace("%1", str(more)))
    return "\n".join(lines)
