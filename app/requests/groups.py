"""Open requests grouped by what they ask of whom, so that many of them can be read and answered at once. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from scheduler.engine.queries.requests import RequestView
from scheduler.rules.requests import RequestKind

GroupKey = tuple[str, ...]
_QUESTIONS = (RequestKind.APPROVAL, RequestKind.QUESTION, RequestKind.PERMISSION, RequestKind.REPAIRED)
"""Nothing is broken: they come after everything else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestGroup:
    key: GroupKey
    requests: tuple[RequestView, ...]
    """The oldest first."""

    @property
    def kind(self) -> RequestKind:
        return self.requests[0].kind

    @property
    def workflow(self) -> str:
        return self.requests[0].workflow

    @property
    def workflows(self) -> tuple[str, ...]:
        """Several only in a group of one kind."""
        return tuple(dict.fromkeys(one.workflow for one in self.requests))

    @property
    def oldest(self) -> datetime:
        return self.requests[0].created

    @property
    def newest(self) -> datetime:
        return self.requests[-1].created

    @property
    def is_table(self) -> bool:
        """Whether they differ only in the parameters of one and the same action, and in where it is done."""
        actions = {_action_of(one) if can_answer_in_group(one) else None for one in self.requests}
        return len(self.requests) > 1 and len(actions) == 1 and None not in actions


def can_answer_in_group(one: RequestView) -> bool:
    """Whether yes or no to the parameters in a table is a full answer; anything else needs its card."""
    call = one.call
    return (
        one.kind is RequestKind.APPROVAL
        and isinstance(call, Mapping)
        and isinstance(call.get("connection"), str)
        and isinstance(call.get("tool"), str)
        and isinstance(call.get("parameters"), Mapping)
    )


def group_requests(requests: Iterable[RequestView]) -> list[RequestGroup]:
    """What is broken first, then what asks for approval; within each the oldest first."""
    members: dict[GroupKey, list[RequestView]] = {}
    for one in sorted(requests, key=lambda one: one.created):
        members.setdefault(_key_of(one), []).append(one)
    groups = [RequestGroup(key=key, requests=tuple(found)) for key, found in members.items()]
    return sorted(groups, key=lambda group: (group.kind in _QUESTIONS, group.oldest))


def merge_by_kind(groups: Sequence[RequestGroup]) -> list[RequestGroup]:
    """One group for all requests of a kind, in the order of the first of each."""
    members: dict[RequestKind, list[RequestView]] = {}
    for group in groups:
        members.setdefault(group.kind, []).extend(group.requests)
    return [
        RequestGroup(key=("", kind.value), requests=tuple(sorted(found, key=lambda one: one.created)))
        for kind, found in members.items()
    ]


def merge_by_action(groups: Sequence[RequestGroup]) -> list[RequestGroup]:
    """One group for all approvals of the same kind of action, whosever they are, in the order of the first of each."""
    members: dict[GroupKey, list[RequestView]] = {}
    for group in groups:
        first = group.requests[0]
        key = ("", *_action_of(first)) if can_answer_in_group(first) else group.key
        members.setdefault(key, []).extend(group.requests)
    return [
        RequestGroup(key=key, requests=tuple(sorted(found, key=lambda one: one.created)))
        for key, found in members.items()
    ]


def count_others_in_scope(one: RequestView, requests: Sequence[RequestView]) -> int:
    """How many other requests "Always allow this" answers as well: those in the scope of its grant."""
    if not can_answer_in_group(one):
        return 0
    scope = _scope_of(one)
    return sum(other.id != one.id and can_answer_in_group(other) and _scope_of(other) == scope for other in requests)


def _action_of(one: RequestView) -> GroupKey:
    """The same for every account of the service."""
    return one.kind.value, one.call["connection"].partition(":")[0], one.call["tool"]


def _scope_of(one: RequestView) -> tuple[object, ...]:
    call = one.call
    return one.workflow, one.handler, call["connection"], call["tool"], call.get("endpoint")


def _key_of(one: RequestView) -> GroupKey:
    key = (one.workflow, one.kind.value)
    if not can_answer_in_group(one):
        return key
    call = one.call
    # The account or folder behind the connection is shown once for all.
    return (*key, one.handler, call["connection"], call["tool"], json.dumps(call.get("endpoint"), sort_keys=True))
