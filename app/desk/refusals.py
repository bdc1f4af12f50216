"""Everything that can be said instead of an answer, as a code and a sentence."""

import logging
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import ConnectionRuleError
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.validation import NotValidError
from scheduler.rules.failures import FailureClass
from scheduler.store.errors import StoreError
from scheduler.timing.errors import BadScheduleError

log = logging.getLogger(__name__)


def write_refusal(error: Exception) -> dict[str, Any]:
    code, sentence = _explain(error)
    return {"error": {"code": code, "message": sentence}}


def _explain(error: Exception) -> tuple[str, str]:
    match error:
        case RefusedError():
            return error.code, error.sentence
        case NotValidError():
            return "not valid", "\n".join(error.sentences)
        case BadScheduleError():
            return error.field, error.sentence
        case ConnectionRuleError():
            return "connection", error.sentence
        case ToolFailedError():
            is_away = error.failure.kind is FailureClass.TRANSIENT
            return "away" if is_away else "connection", error.failure.sentence
        case StoreError():
            return "store", str(error)
        case _:
            log.error("A command failed", exc_info=error)
            return "internal", f"Dayhand made a mistake ({type(error).__name__}: {error}). Please report this."
