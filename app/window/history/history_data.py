"""What ran and what did not as one list of rows, the newest first. Reads the store: never in the GUI thread."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from PySide6.QtCore import QCoreApplication

from app.life.installation import Installation
from app.requests import say_request
from app.window.states import state_of_run, state_of_time
from app.words.interpreting import interpret
from app.words.states import RunState
from app.words.times import say_number
from scheduler.engine.workflows.views.history import Found, HistoryPage, UnrunView
from scheduler.engine.workflows.views.runs import RunView
from scheduler.rules.phases import Status

translate = QCoreApplication.translate

_LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One attempt, or one planned time (or several in a row) that did not run."""

    key: str
    run: str | None
    """Its id; None for what did not run."""
    at: datetime
    until: datetime | None
    """When the last of several would have been."""
    workflow: str
    name: str
    state: RunState
    what: str
    took: timedelta | None
    retry_of: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    rows: tuple[Row, ...]
    cursor: str | None


def read_page(installation: Installation, wanted: Found, cursor: str | None, most: int) -> Read:
    page = installation.views.history(wanted, cursor, most)
    names = installation.views.names()
    return Read(rows=make_rows(page, names, read_asked(installation, page)), cursor=page.cursor)


def read_asked(installation: Installation, page: HistoryPage) -> dict[str, str]:
    """By run: what those that wait for an answer ask."""
    if not any(one.status is Status.APPROVAL for one in page.runs):
        return {}
    return {one.run: say_request(one) for one in installation.views.attention() if one.run is not None}


def make_rows(page: HistoryPage, names: Mapping[str, str], asked: Mapping[str, str] | None = None) -> tuple[Row, ...]:
    ran = [_of_run(one, names, (asked or {}).get(one.id, "")) for one in page.runs]
    unrun = [_of_time(one, names) for one in page.occurrences]
    return tuple(sorted([*ran, *unrun], key=lambda row: row.at, reverse=True))


def read_strips(installation: Installation, slugs: Iterable[str], most: int = 30) -> dict[str, tuple[RunState, ...]]:
    """The last outcomes of each workflow, the oldest first; several attempts have one."""
    found = {}
    for slug in slugs:
        rows = make_rows(installation.views.history(Found(workflow=slug), None, most), {})[:most]
        retried = {row.retry_of for row in rows}
        found[slug] = tuple(row.state for row in reversed(rows) if row.run is None or row.run not in retried)
    return found


def _of_run(one: RunView, names: Mapping[str, str], asked: str) -> Row:
    at = one.began or one.planned or one.ended or _LONG_AGO
    return Row(
        key=one.id,
        run=one.id,
        at=at,
        until=None,
        workflow=one.workflow,
        name=names.get(one.workflow, one.workflow),
        state=state_of_run(one.status, is_followed=one.is_followed),
        what=interpret(one.error or "") or one.summary or asked or say_nothing(one),
        took=None if one.ended is None or one.began is None else one.ended - one.began,
        retry_of=one.retry_of,
    )


def _of_time(one: UnrunView, names: Mapping[str, str]) -> Row:
    said = interpret(one.sentence)
    if one.number > 1:
        count = translate("history", "more than {number}") if one.more else "{number}"
        times = translate("history", "{count} times: {sentence}")
        said = times.format(count=count.format(number=say_number(one.number)), sentence=said)
    return Row(
        key=f"{one.workflow}/{one.handler} {one.planned.isoformat()} {one.state}",
        run=None,
        at=one.planned,
        until=one.until if one.number > 1 else None,
        workflow=one.workflow,
        name=names.get(one.workflow, one.workflow),
        state=state_of_time(one.state),
        what=said,
        took=None,
    )


def say_nothing(one: RunView) -> str:
    match one.status:
        case Status.ACTIVE:
            return translate("history", "It is running now.")
        case Status.APPROVAL:
            return translate("history", "It waits for your answer.")
        case Status.RECONCILIATION:
            return translate("history", "It finds out whether it happened.")
        case Status.CRASHED:
            return translate("history", "Dayhand ended while it ran.")
        case Status.COMMITTED if one.kind != "job":
            return translate("history", "Looked; there was nothing to report.")
        case _:
            return ""
