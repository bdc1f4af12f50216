"""`approve`, `reject` and `dismiss` for several requests: by their IDs, or all of a workflow after one question."""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from app.cli.command import CommandResult, call_api, stream_api
from app.cli.command_line import UsageError
from app.widgets.visible_text import ELLIPSIS as _CUT
from app.widgets.visible_text import escape_invisible
from scheduler.engine.errors import RefusedError
from scheduler.user_text import pack

Request = dict[str, Any]
"""A request as the API lists it."""
Render = Callable[[Request], Iterable[str]]
"""The lines that show a request before the user is asked."""
_MIN_PREFIX = 4
_DONE = {"approve": "approved", "reject": "rejected", "dismiss": "dismissed"}


def add_group_arguments(parser: ArgumentParser, *, can_choose_all: bool = True) -> None:
    parser.add_argument(
        "asked", nargs="*", metavar="REQUEST", help="its ID, or the beginning of it; several are allowed"
    )
    parser.set_defaults(workflow=None, all=False, yes=False)
    if can_choose_all:
        parser.add_argument("--workflow", metavar="WORKFLOW", help="every approval that this workflow waits for")
        parser.add_argument("--all", action="store_true", help="every approval that any workflow waits for")
        parser.add_argument("--yes", action="store_true", help="do not list them and ask")


def is_group(options: Namespace) -> bool:
    """Whether it is about several requests."""
    chooses = options.workflow is not None or options.all
    if chooses and options.asked:
        raise UsageError("Give the IDs of requests, or --workflow or --all, not both.")
    if not chooses and not options.asked:
        raise UsageError("Which request? Give its ID, or see dayhand attention.")
    return chooses or len(options.asked) > 1


def answer_group(options: Namespace, answer: str, render: Render, **more: str) -> CommandResult:
    """Answer exactly those that were named or listed; each has its own result."""
    if options.asked:
        seen, unknown = _find_named(options)
    else:
        seen, unknown = _choose(options, answer, render), []
    results = []
    if seen:
        shown = [{"request": one["id"], "call_hash": one["call_hash"], "run": one["run"]} for one in seen]
        answered = call_api(
            options, "answer_each", answer=answer, requests=shown, idempotency_key=options.idempotency_key, **more
        )
        results = answered["results"]
    results += unknown
    refused = sum("error" in one for one in results)
    failure = f"{refused} of {len(results)} could not be {_DONE[answer]}." if refused else None
    return CommandResult({"results": results}, lambda done: _render_results(done["results"], answer), failure)


def can_answer_in_group(one: Request) -> bool:
    """Whether yes or no to what the list shows is a full answer."""
    return bool(one["kind"] == "approval" and one["call"])


def _find_named(options: Namespace) -> tuple[list[Request], list[dict[str, Any]]]:
    """The named requests, and a result for each that there is not. No hash: the user has seen them before."""
    open_ = call_api(options, "attention")["requests"]
    seen: dict[str, Request] = {}
    unknown = []
    for text in options.asked:
        alike = [one for one in open_ if one["id"] == text]
        alike = alike or [one for one in open_ if len(text) >= _MIN_PREFIX and one["id"].startswith(text)]
        try:
            id_, run = (alike[0]["id"], alike[0]["run"]) if len(alike) == 1 else _find_any(options, text)
            seen[id_] = {"id": id_, "run": run, "call_hash": None}
        except RefusedError as error:
            unknown.append(
                {
                    "request": text,
                    "error": {"code": error.code, "message": error.sentence, "text": pack(error.sentence)},
                }
            )
    return list(seen.values()), unknown


def _find_any(options: Namespace, text: str) -> tuple[str, str | None]:
    """One that is answered already, or a refusal."""
    pieces = (one["piece"]["text"] for one in stream_api(options, "request_show", request=text) if "piece" in one)
    whole = json.loads("".join(pieces))
    return whole["id"], whole["run"]


def _choose(options: Namespace, answer: str, render: Render) -> list[Request]:
    """Every approval of the workflow, or of all, that the user agrees to."""
    slug = None if options.workflow is None else call_api(options, "show", workflow=options.workflow)["workflow"]
    open_ = [one for one in call_api(options, "attention")["requests"] if slug in (None, one["workflow"])]
    listed = [one for one in open_ if can_answer_in_group(one)]
    if options.yes or not listed:
        return listed
    if options.json or sys.stdin is None or not sys.stdin.isatty():
        raise RefusedError(
            "asks",
            f"Nothing was {_DONE[answer]}: confirmation needs a terminal. Use --yes to {answer} without asking.",
        )
    shown = [(one, list(render(one))) for one in listed]
    whole = [one for one, lines in shown if not _is_cut(one, lines)]
    for line in _render_question(shown, len(open_) - len(listed)):
        sys.stdout.write(f"{escape_invisible(line)}\n")
    if not whole:
        raise RefusedError("asks", f"Nothing was {_DONE[answer]}: none of them is shown in full above.")
    what = "this request" if len(whole) == 1 else f"these {len(whole)} requests"
    if input(f"{answer.capitalize()} {what}? [y/N] ").strip().lower() not in ("y", "yes"):
        raise RefusedError("declined", f"Nothing was {_DONE[answer]}.")
    return whole


def _is_cut(one: Request, lines: Sequence[str]) -> bool:
    return bool(one.get("omitted")) or any(line.endswith(_CUT) for line in lines)


def _render_question(shown: Sequence[tuple[Request, list[str]]], others: int) -> Iterator[str]:
    """Those that are shown in full, then those that the answer leaves out."""
    for one, lines in shown:
        yield from lines
        if _is_cut(one, lines):
            yield "    It is left out, because it is not shown in full here."
    if others:
        what = "1 more needs" if others == 1 else f"{others} more need"
        yield f"{what} an answer of another kind: dayhand attention"


def _render_results(results: Sequence[dict[str, Any]], answer: str) -> Iterator[str]:
    if not results:
        yield f"Nothing to {answer}."
    for one in results:
        if "error" in one:
            yield f"{one['request']}  {one['error']['message']}"
        elif one["is_repeated"]:
            yield f"{one['request']}  {one['before']} Nothing was changed."
        else:
            yield f"{one['request']}  {_DONE[answer].capitalize()}."
