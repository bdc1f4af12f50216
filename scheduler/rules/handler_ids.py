"""The ids of handlers and lanes: how they are made and split. The schedule of a handler has the handler's id.

Some queries in `store` know the same forms: `history`, `occurrences` and `transfer`.
"""

import re

from scheduler.rules.phases import HandlerKind

_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def handler_id(workflow: str, handler: str) -> str:
    return f"{workflow}/{handler}"


def name_in_words(handler: str) -> str:
    """A handler's name as people read it: `back_up` as `Back up`, `FileReceipt` as `File receipt`."""
    words = [word for part in re.split(r"[\W_]+", handler) for word in _WORD_STARTS.split(part) if word]
    words[1:] = [word if word.isupper() else word.lower() for word in words[1:]]
    said = " ".join(words)
    return f"{said[:1].upper()}{said[1:]}" or handler


def split_handler_id(identity: str) -> tuple[str, str]:
    """The workflow and the handler."""
    workflow, _, handler = identity.partition("/")
    return workflow, handler


def split_target(text: str) -> tuple[str, str | None]:
    """What a user names: a workflow, or the id of one of its handlers."""
    workflow, handler = split_handler_id(text)
    return workflow, handler or None


def report_subject(identity: str, chain: str) -> str:
    """What another report about the same handler is about, if its runs failed side by side."""
    return f"{identity}#{chain}"


def handler_of_report(subject: str) -> str:
    """The id of the handler that a report is about."""
    return subject.partition("#")[0]


def handler_id_bounds(workflow: str) -> tuple[str, str]:
    """All handler ids of the workflow, and no others, lie between these two."""
    return f"{workflow}/", f"{workflow}0"  # 0 follows the slash


def lane_name(handler: str, kind: str) -> str:
    """Within the workflow: a job has a lane of its own; producers and consumers share the unnamed one."""
    return handler if kind == HandlerKind.JOB else ""


def lane_id(workflow: str, handler: str, kind: str) -> str:
    return handler_id(workflow, lane_name(handler, kind))
