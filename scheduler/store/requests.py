"""Questions to the user. The first answer counts; repeating it changes nothing, another is refused."""

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from scheduler.rules.requests import REQUESTS, RequestKind
from scheduler.store.database import from_ms, to_ms
from scheduler.user_text import pack, unpack


class RequestAnswer(StrEnum):
    """The possible answers to requests."""

    YES = "yes"
    NO = "no"
    ANSWERED = "answered"
    """A question was answered; the row has the answers."""
    EXPIRED = "expired"
    """Nobody answered in time, so it counts as rejected."""
    HAPPENED = "happened"
    NOT_HAPPENED = "not-happened"
    SKIP = "skip"
    SOLVED = "solved"
    """By something else: a retry, a deploy, a reconnect."""
    DISMISSED = "dismissed"
    """The user has seen it; nothing depended on the answer."""
    WITHDRAWN = "withdrawn"
    """No answer is needed any more."""


class AnswerOutcome(StrEnum):
    """What happened to an answer."""

    ACCEPTED = "taken"
    REPEATED = "same"
    """It had been given before."""
    TOO_LATE = "too late"
    """Another one had been given, or the request no longer exists."""


class RequestRow(NamedTuple):
    id: str
    kind: RequestKind
    workflow: str
    subject: str
    """What it is about: each subject has at most one open request of a kind."""
    sentence: str
    created: datetime
    run: str | None = None
    call: Any = None
    """Connection, tool and parameters, exactly as they would be used."""
    ui: Any = None
    """What the script adds for the user to see."""
    hash: str | None = None
    answer: str | None = None
    answered: datetime | None = None
    edited: Any = None
    """The call that was approved, if the user changed it first."""
    edited_hash: str | None = None
    reason: str | None = None
    """Why it was rejected."""
    questions: Any = None
    """What it asks, if it is a question."""
    answers: Any = None
    """The answers by the names of the questions."""
    expires: datetime | None = None
    on_expiry: str | None = None
    """What follows when it expires: `reject` or `leave`."""
    reminded: datetime | None = None
    wake_at: datetime | None = None
    """When to remind the user or let it expire; None if there is nothing more to do."""
    answered_from: str | None = None
    """The channel through which the user answered; None if they did at this computer, or nobody did."""


class GivenAnswer(NamedTuple):
    """An answer with what belongs to it."""

    answer: str
    reason: str | None = None
    edited: Any = None
    edited_hash: str | None = None
    answers: Any = None
    answered_from: str | None = None


class ApprovedCall(NamedTuple):
    """How the user approved a call: as it was asked, or changed."""

    edited: Any = None
    edited_hash: str | None = None


_COLUMNS = RequestRow._fields
_ALL = f"SELECT {', '.join(_COLUMNS)} FROM requests"
_LARGE_COLUMNS = ("call", "ui", "questions")
_JSON_COLUMNS = ("call", "edited", "questions", "answers")
_INSTANTS = ("created", "answered", "expires", "reminded", "wake_at")
_OF_CHAIN = "run IN (SELECT ?1 UNION ALL SELECT id FROM runs WHERE chain = ?1 AND attempt > 1)"
_WITHOUT_LARGE = (
    f"SELECT {', '.join(f'NULL AS {name}' if name in _LARGE_COLUMNS else name for name in _COLUMNS)} FROM requests"
)


def add(db: sqlite3.Connection, row: RequestRow) -> bool:
    """Add it unless the same is already open; returns whether it is new."""
    encoded: dict[str, Any] = {name: _to_json(getattr(row, name)) for name in _JSON_COLUMNS}
    encoded |= {name: to_ms(getattr(row, name)) for name in _INSTANTS}
    encoded["ui"] = None if row.ui is None else json.dumps(_change_texts(row.kind, row.ui, pack))
    values = row._replace(**encoded)
    marks = ", ".join("?" * len(_COLUMNS))
    query = f"INSERT INTO requests ({', '.join(_COLUMNS)}) VALUES ({marks}) ON CONFLICT DO NOTHING"
    return db.execute(query, values).rowcount == 1


def put(db: sqlite3.Connection, row: RequestRow) -> None:
    """Add it, or update the one that is open about the same subject: it happened again."""
    if not add(db, row):
        query = (
            "UPDATE requests SET run = ?, sentence = ?, created = ? WHERE kind = ? AND subject = ? AND answer IS NULL"
        )
        db.execute(query, (row.run, row.sentence, to_ms(row.created), row.kind, row.subject))


def answer(db: sqlite3.Connection, request: str, given: GivenAnswer | str, now: datetime) -> AnswerOutcome:
    """Store the answer if there is none yet."""
    given = GivenAnswer(given) if isinstance(given, str) else given
    query = (
        "UPDATE requests SET answer = ?, answered = ?, reason = ?, edited = ?, edited_hash = ?, answers = ?, "
        "answered_from = ? WHERE id = ? AND answer IS NULL"
    )
    details = (given.reason, _to_json(given.edited), given.edited_hash, _to_json(given.answers), given.answered_from)
    if db.execute(query, (given.answer, to_ms(now), *details, request)).rowcount == 1:
        return AnswerOutcome.ACCEPTED
    row = find(db, request)
    wanted = (given.answer, given.edited_hash, given.answers)
    is_same = row is not None and (row.answer, row.edited_hash, row.answers) == wanted
    return AnswerOutcome.REPEATED if is_same else AnswerOutcome.TOO_LATE


def close(
    db: sqlite3.Connection,
    now: datetime,
    given: RequestAnswer = RequestAnswer.WITHDRAWN,
    *,
    run: str | None = None,
    workflow: str | None = None,
    answered_from: str | None = None,
) -> int:
    """Close the open requests of a run or a workflow without an answer to them; returns their number."""
    column, value = ("run", run) if run is not None else ("workflow", workflow)
    query = f"UPDATE requests SET answer = ?, answered = ?, answered_from = ? WHERE answer IS NULL AND {column} = ?"
    return db.execute(query, (given, to_ms(now), answered_from, value)).rowcount


def resolve(
    db: sqlite3.Connection,
    now: datetime,
    kind: RequestKind,
    subject: str,
    given: RequestAnswer = RequestAnswer.SOLVED,
) -> list[str]:
    """Close the open requests about something that is resolved; returns their ids."""
    query = (
        "UPDATE requests SET answer = ?, answered = ? WHERE answer IS NULL AND kind = ? AND subject = ? RETURNING id"
    )
    return [row[0] for row in db.execute(query, (given, to_ms(now), kind, subject)).fetchall()]


def set_wake(db: sqlite3.Connection, request: str, wake_at: datetime | None, reminded: datetime | None) -> None:
    """When to remind or let it expire next, and when the user was reminded; only while it is open."""
    query = "UPDATE requests SET wake_at = ?, reminded = ? WHERE id = ? AND answer IS NULL"
    db.execute(query, (to_ms(wake_at), to_ms(reminded), request))


def list_due(db: sqlite3.Connection, now: datetime) -> list[RequestRow]:
    """Open ones to remind of or to let expire; without what may be large."""
    query = f"{_WITHOUT_LARGE} WHERE answer IS NULL AND wake_at <= ? ORDER BY wake_at"
    return [_from_sql(row) for row in db.execute(query, (to_ms(now),))]


def list_reports(db: sqlite3.Connection, kind: RequestKind, identity: str) -> list[RequestRow]:
    """The open reports of that kind about runs of a handler."""
    query = f"{_ALL} WHERE answer IS NULL AND kind = ?1 AND (subject = ?2 OR subject GLOB ?2 || '#*') ORDER BY created"
    return [_from_sql(row) for row in db.execute(query, (kind, identity))]


def find_problem(db: sqlite3.Connection, kind: RequestKind, subject: str) -> RequestRow | None:
    """The last problem of that kind about the subject, answered or not."""
    query = f"{_ALL} WHERE kind = ? AND subject = ? ORDER BY answer IS NULL DESC, created DESC LIMIT 1"
    row = db.execute(query, (kind, subject)).fetchone()
    return None if row is None else _from_sql(row)


def replace_problem(db: sqlite3.Connection, row: RequestRow) -> None:
    """Ask about this problem instead of any of its kind about the subject before."""
    db.execute("DELETE FROM requests WHERE kind = ? AND subject = ?", (row.kind, row.subject))
    add(db, row)


def list_reported(db: sqlite3.Connection, kinds: Sequence[RequestKind]) -> list[tuple[RequestKind, str]]:
    """Kind and subject of what is asked, or was dismissed and is not over."""
    query = (
        "SELECT kind, subject FROM requests WHERE kind IN (SELECT value FROM json_each(?)) "
        "AND (answer IS NULL OR answer = ?)"
    )
    return [(RequestKind(row[0]), row[1]) for row in db.execute(query, (json.dumps(kinds), RequestAnswer.DISMISSED))]


def end_problems(
    db: sqlite3.Connection,
    kinds: Sequence[RequestKind],
    now: datetime,
    *,
    subject: str | None = None,
    workflow: str | None = None,
) -> None:
    """The problems of a subject or a workflow are over; if one comes back, it is asked again even if dismissed."""
    column, value = ("subject", subject) if subject is not None else ("workflow", workflow)
    query = (
        "UPDATE requests SET answer = ?, answered = ? "
        f"WHERE kind IN (SELECT value FROM json_each(?)) AND {column} = ? AND (answer IS NULL OR answer = ?)"
    )
    db.execute(query, (RequestAnswer.SOLVED, to_ms(now), json.dumps(kinds), value, RequestAnswer.DISMISSED))


def reassign(db: sqlite3.Connection, request: str, run: str, workflow: str) -> None:
    """Move it to another run."""
    db.execute("UPDATE requests SET run = ?, workflow = ? WHERE id = ?", (run, workflow, request))


def find_approval(db: sqlite3.Connection, chain: str, wanted: str) -> ApprovedCall | None:
    """How the user approved exactly that call for an attempt of that chain, if they did; the last one counts."""
    query = (
        f"SELECT edited, edited_hash FROM requests WHERE {_OF_CHAIN} AND kind = 'approval' AND answer = 'yes' "
        "AND hash = ?2 ORDER BY answered DESC LIMIT 1"
    )
    row = db.execute(query, (chain, wanted)).fetchone()
    return None if row is None else ApprovedCall(_from_json(row["edited"]), row["edited_hash"])


def find_answers(db: sqlite3.Connection, chain: str, wanted: str) -> RequestRow | None:
    """The answered, rejected or expired questions with that hash of an attempt of that chain; the last one counts."""
    query = (
        f"{_ALL} WHERE {_OF_CHAIN} AND kind = 'question' AND answer IN ('answered', 'no', 'expired') AND hash = ?2 "
        "ORDER BY answered DESC LIMIT 1"
    )
    row = db.execute(query, (chain, wanted)).fetchone()
    return None if row is None else _from_sql(row)


def of_run(db: sqlite3.Connection, run: str) -> list[RequestRow]:
    """All its requests; open ones come last."""
    query = f"{_ALL} WHERE run = ? ORDER BY answer IS NULL, created"
    return [_from_sql(row) for row in db.execute(query, (run,))]


def find(db: sqlite3.Connection, request: str) -> RequestRow | None:
    row = db.execute(f"{_ALL} WHERE id = ?", (request,)).fetchone()
    return None if row is None else _from_sql(row)


def find_by_prefix(db: sqlite3.Connection, text: str) -> list[RequestRow]:
    """Those whose id has that prefix, answered or not."""
    query = f"{_ALL} WHERE id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY created"
    return [_from_sql(row) for row in db.execute(query, (text,))]


def list_open(db: sqlite3.Connection) -> list[RequestRow]:
    """Without what may be large: call, ui and questions are not read."""
    return [_from_sql(row) for row in db.execute(f"{_WITHOUT_LARGE} WHERE answer IS NULL ORDER BY created")]


def read_open(db: sqlite3.Connection, known: Mapping[str, RequestRow] | None = None) -> list[RequestRow]:
    """All open requests. `known` rows, read before, provide what may be large and never changes."""
    found = []
    for row in list_open(db):
        before = (known or {}).get(row.id) or find(db, row.id)
        if before is not None:
            found.append(row._replace(call=before.call, ui=before.ui, questions=before.questions))
    return found


def _from_sql(row: sqlite3.Row) -> RequestRow:
    decoded: dict[str, Any] = {name: _from_json(row[name]) for name in _JSON_COLUMNS}
    decoded |= {name: from_ms(row[name]) for name in _INSTANTS}
    kind = RequestKind(row["kind"])
    decoded["ui"] = None if row["ui"] is None else _change_texts(kind, json.loads(row["ui"]), unpack)
    return RequestRow(*row)._replace(kind=kind, sentence=unpack(row["sentence"]) or "", **decoded)


def _to_json(value: Any) -> str | None:
    return None if value is None else json.dumps(value)


def _from_json(text: str | None) -> Any:
    return None if text is None else json.loads(text)


def _change_texts(kind: RequestKind, ui: Any, change: Callable[[str], str | None]) -> Any:
    """Pack or unpack our own texts about a repair; everything else that is shown comes from scripts."""
    if not REQUESTS[kind].concerns_repair or not isinstance(ui, dict):
        return ui
    texts: dict[str, Any] = {"error": change(ui["error"])} if isinstance(ui.get("error"), str) else {}
    if isinstance(ui.get("asks"), list):
        texts["asks"] = [change(one) if isinstance(one, str) else one for one in ui["asks"]]
    return {**ui, **texts}
