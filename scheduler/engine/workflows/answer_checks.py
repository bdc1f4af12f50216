"""What is refused before an answer to a request is stored."""

import sqlite3
from collections.abc import Mapping, Sequence
from typing import Any

from scheduler.engine.errors import RefusedError
from scheduler.rules.handler_ids import handler_id
from scheduler.rules.phases import HandlerKind
from scheduler.rules.questions import ONLY_QUESTION, list_answer_options
from scheduler.rules.requests import REQUESTS
from scheduler.store import runs
from scheduler.store.requests import RequestRow
from scheduler.user_text import UserText

MAX_REASON_CHARS = 1_000


def check_call(row: RequestRow, call_hash: str | None) -> None:
    """Refuse an answer to a call that the user has not seen."""
    if call_hash is not None and call_hash != row.hash:
        raise RefusedError(
            "changed", UserText("What it would do has changed since you saw it; nothing was done. Look at it again.")
        )


def check_names(row: RequestRow, names: Sequence[str], answers: Mapping[str, Any]) -> None:
    """Refuse one answer without a name to several questions."""
    if len(names) > 1 and list(answers) == [ONLY_QUESTION] and ONLY_QUESTION not in names:
        raise RefusedError(
            "answer",
            UserText(
                "That asks {number} questions. Answer each by its name: dayhand answer {id} {options}",
                number=len(names),
                id=row.id,
                options=list_answer_options(names),
            ),
        )


def parse_reason(text: str | None) -> str | None:
    """The user's reason, or None if it is empty; RefusedError if it cannot be kept."""
    if text is None or not text.strip():
        return None
    if len(text) > MAX_REASON_CHARS or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise RefusedError(
            "reason",
            UserText("A reason can have at most {number} characters.", number=f"{MAX_REASON_CHARS:,}"),
        )
    return text.strip()


def refuse_yes_or_no(db: sqlite3.Connection, row: RequestRow) -> RefusedError:
    run = None if row.run is None else runs.find(db, row.run)
    is_job = run is not None and run.kind is HandlerKind.JOB
    target = handler_id(row.workflow, run.handler) if run is not None and is_job else row.workflow
    help_line = UserText(REQUESTS[row.kind].hint, subject=row.subject, run=row.run, id=row.id, target=target)
    return RefusedError(
        "other answer", UserText("That cannot be answered with yes or no. {help_line}", help_line=help_line)
    )
