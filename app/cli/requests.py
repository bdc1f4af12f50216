"""`attention`, `approve`, `answer`, `reject`, `resolve`, `retry`, `dismiss`: open requests, and the user's answers."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from app.cli.command import Command, CommandResult, add_idempotency_key, call_api, stream_api
from app.cli.command_line import UsageError, format_folder_option
from app.cli.formatting import format_time, to_single_line
from app.cli.group_answers import add_group_arguments, answer_group, is_group
from app.data.data_dir import add_data_dir
from app.widgets.server_names import add_punycode, find_look_alikes
from app.widgets.visible_text import ELLIPSIS as _CUT
from scheduler.engine.errors import RefusedError
from scheduler.rules.questions import ONLY_QUESTION
from scheduler.rules.requests import RequestKind

_MAX_VALUE_CHARS = 300
"""Of one value in the list of all requests."""
_MAX_TIME_NS = 2**63
"""Of a file's modification time: a third-party connector may report anything."""


def _attention_arguments(parser: ArgumentParser) -> None:
    parser.description = "List what needs your attention: exactly what would be done, and how to answer."
    add_data_dir(parser)
    parser.add_argument("asked", nargs="?", metavar="REQUEST", help="only this one, in full")


def _attention(options: Namespace) -> CommandResult:
    where = f" {format_folder_option(options.data_dir)}".rstrip()
    if options.asked is None:
        return CommandResult(call_api(options, "attention"), partial(_render_attention, where=where))
    pieces = (
        one["piece"]["text"] for one in stream_api(options, "request_show", request=options.asked) if "piece" in one
    )
    whole = json.loads("".join(pieces))
    return CommandResult({"requests": [whole]}, lambda _: _render_request(whole, where))


def _render_attention(answer: dict[str, Any], where: str) -> Iterator[str]:
    for one in answer["requests"]:
        yield from _render_request(one, where, _MAX_VALUE_CHARS)
    for one in answer["workflows"]:
        yield f"{one['name']} needs your attention: {to_single_line(one['words'])}"
        yield f"    dayhand show {one['workflow']}{where}"
    number = len(answer["requests"]) + len(answer["workflows"])
    if number == 0:
        yield "Nothing needs your attention."
    else:
        yield "1 item needs your attention." if number == 1 else f"{number} items need your attention."


def _render_request(one: dict[str, Any], where: str, limit: int | None = None) -> Iterator[str]:
    """With a limit, each value is one line, marked if it is cut.

    `where` is added to the commands that are shown, so that they can be pasted as they are.
    """
    lines = [
        *_render_call(one, limit),
        *_render_script(one, limit),
        *_render_questions(one),
        *_render_failed_run(one, where, limit),
    ]
    names = [f"{one['workflow']}/{one['job']}"] if one.get("job") else one["workflows"]
    yield f"{one['id']}  {', '.join(names)}, {one['kind'].replace('-', ' ')}, {format_time(one['created'])}"
    yield from (f"    {add_punycode(line)}" for line in lines)
    if one["kind"] in ("fix", "repaired"):
        yield from (f"    {line}" for line in one["ui"]["difference"].splitlines())
    if limit is not None and (one.get("omitted") or any(line.endswith(_CUT) for line in lines)):
        yield f"    Show in full: dayhand attention {one['id']}{where}"
    if one.get("expires"):
        then = "it stays open then" if one["on_expiry"] == "leave" else "it counts as rejected then"
        yield f"    Expires {format_time(one['expires'])}; {then}."
    if editable := one.get("editable"):
        yield f"    You can change {', '.join(editable)}: dayhand approve {one['id']} --set NAME=VALUE{where}"
    yield f"    {'  |  '.join(f'{command}{where}' for command in one['how'])}"


def _render_call(one: dict[str, Any], limit: int | None) -> Iterator[str]:
    if not one["call"]:
        return
    call = one["call"]
    parameters = call.get("parameters")
    yield f"{to_single_line(call.get('tool'))} of {to_single_line(call.get('connection'))}"
    if endpoint := call.get("endpoint"):
        yield f"Connected to: {_write(endpoint, limit)}"
    if "call" in one.get("omitted", ()):
        yield f"  {one['omitted']['call']:,} characters of parameters {_CUT}"
    elif limit is None:
        yield from (f"  {line}" for line in json.dumps(parameters, ensure_ascii=False, indent=2).split("\n"))
    elif isinstance(parameters, dict):
        yield from (f"  {json.dumps(key)}: {_write(value, limit)}" for key, value in parameters.items())
    else:
        yield f"  {_write(parameters, limit)}"
    if target := call.get("target"):
        yield f"Currently there: {_describe_target(target, limit)}"
    for alike in find_look_alikes(parameters).look_alikes:
        yield f"Check this address: {alike.wire} looks like {alike.resembles} but is a different server."


def _render_script(one: dict[str, Any], limit: int | None) -> Iterator[str]:
    """The request's text, marked if it is the script's own, and what else the script shows."""
    if one.get("failed_run"):
        return
    sentence = _shorten(to_single_line(one["sentence"]), limit)
    is_from_script = one["kind"] in ("approval", "question")
    yield f"The workflow says: {sentence}" if is_from_script else sentence
    if is_from_script and one["ui"]:
        added = one["ui"] if isinstance(one["ui"], dict) else {"": one["ui"]}
        yield from (f"  {json.dumps(name)}: {_write(shown, limit)}" for name, shown in added.items())


def _render_questions(one: dict[str, Any]) -> Iterator[str]:
    """What the script asks, what each answer may be, and what is taken if nothing is given."""
    questions = one.get("questions") or ()
    for question in questions:
        name = f"{question['name']}: " if len(questions) > 1 else ""
        choices = f" ({', '.join(map(to_single_line, question['choices']))})" if question.get("choices") else ""
        kinds = {"yes_no": " (yes or no)", "number": " (a number)", "date": " (a date such as 2026-11-20)"}
        default = question.get("default")
        taken = "" if default is None else f" [{to_single_line(str(default))}]"
        yield f"{name}{to_single_line(question['text'])}{choices or kinds.get(question['kind'], '')}{taken}"


def _render_failed_run(one: dict[str, Any], where: str, limit: int | None) -> Iterator[str]:
    """What failed since when and why, the command, the last lines that it printed, and that it is paused."""
    failed = one.get("failed_run")
    if not failed:
        return
    yield failed["summary"]
    if failed["reason"]:
        yield _shorten(to_single_line(failed["reason"]), limit)
    if failed["command"]:
        yield f"Command: {_shorten(to_single_line(failed['command']), limit)}"
    yield from (f"  | {_shorten(line, limit)}" for line in failed["output"].splitlines() or ["(it printed nothing)"])
    if one["kind"] == RequestKind.TOO_MANY_FAILURES.slug:
        yield "It does not run again until you resume or retry it."
    if failed.get("is_paused"):
        yield f"It is paused. To resume it: dayhand resume {one['workflow']}/{failed['handler']}{where}"


def _write(value: Any, limit: int | None) -> str:
    return _shorten(json.dumps(value, ensure_ascii=False), limit)


def _shorten(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= limit else f"{text[:limit]} ({len(text):,} characters) {_CUT}"


def _describe_target(target: Any, limit: int | None) -> str:
    """What is there now, so that the user can recognize it."""
    match target:
        case {"kind": "file", "size": int(size), "modified_ns": int(time)} if abs(time) < _MAX_TIME_NS:
            when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time // 1_000_000_000)
            return f"file, {size:,} bytes, modified {format_time(when.isoformat())}"
        case {"kind": "folder", **rest} if not rest.keys() - {"inode"}:
            return "folder"
        case {"kind": "link", "leads_to": place}:
            return f"link to {_write(place, limit)}"
        case _:
            return _write(target, limit)


def _request_arguments(
    description: str, *, always: bool = False, reason: bool = False, can_choose_all: bool = True
) -> Callable[[ArgumentParser], None]:
    def add(parser: ArgumentParser) -> None:
        parser.description = description
        add_data_dir(parser)
        add_group_arguments(parser, can_choose_all=can_choose_all)
        if always:
            parser.add_argument("--always", action="store_true", help="and do not ask again for this tool")
            _add_values(parser, "change this parameter of the call first; rows and other lists are JSON")
        if reason:
            parser.add_argument("--reason", metavar="TEXT", help="why, for the script and the history")
        add_idempotency_key(parser)

    return add


def _add_values(parser: ArgumentParser, help_: str) -> None:
    parser.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], dest="values", help=help_)


def _read_values(options: Namespace) -> dict[str, str]:
    """The values given as --set NAME=VALUE."""
    found: dict[str, str] = {}
    for written in options.values:
        name, equals, value = written.partition("=")
        if not equals or not name:
            raise RefusedError("arguments", f"--set takes NAME=VALUE, not {written!r:.100}.")
        if name in found:
            raise RefusedError("arguments", f"--set {name} is given twice.")
        found[name] = value
    return found


def _approve(options: Namespace) -> CommandResult:
    edits = _read_values(options)
    if is_group(options):
        if options.always:
            raise UsageError("--always is for one request; it also approves the others that wait for the same.")
        if edits:
            raise UsageError("--set changes one request; approve the others separately.")
        return answer_group(options, "approve", _render_listed)
    answer = call_api(
        options,
        "approve",
        request=options.asked[0],
        always=options.always,
        idempotency_key=options.idempotency_key,
        **({"edits": edits} if edits else {}),
    )
    return CommandResult(answer, _render_approved)


def _render_approved(answer: dict[str, Any]) -> Iterator[str]:
    others = len(answer.get("also_approved", ()))
    if answer.get("edited"):
        yield "Approved with your changes."
    else:
        yield "Approved." if not others else f"Approved, together with {others} more that waited for the same."


def _render_listed(one: dict[str, Any]) -> list[str]:
    """As in the list of all requests, without the commands that answer it."""
    return [line for line in _render_request({**one, "how": ()}, "", _MAX_VALUE_CHARS) if line.strip()]


def _reject(options: Namespace) -> CommandResult:
    reason = {} if options.reason is None else {"reason": options.reason}
    if is_group(options):
        return answer_group(options, "reject", _render_listed, **reason)
    answer = call_api(options, "reject", request=options.asked[0], idempotency_key=options.idempotency_key, **reason)
    return CommandResult(answer, lambda _: ["Rejected."])


def _answer_arguments(parser: ArgumentParser) -> None:
    parser.description = "Answer a question of a script. Without an answer, its defaults are taken."
    add_data_dir(parser)
    parser.add_argument("asked", metavar="REQUEST", help="its ID, or the beginning of it")
    parser.add_argument("given", nargs="?", metavar="ANSWER", help="the answer, if there is one question")
    _add_values(parser, "the answer to the question with this name, if there are several")
    add_idempotency_key(parser)


def _answer(options: Namespace) -> CommandResult:
    answers = _read_values(options)
    if options.given is not None:
        if answers:
            raise RefusedError("arguments", "Give one answer, or --set for each question, not both.")
        answers = {ONLY_QUESTION: options.given}
    answer = call_api(
        options, "answer", request=options.asked, answers=answers, idempotency_key=options.idempotency_key
    )
    return CommandResult(answer, lambda _: ["Answered."])


def _resolve_arguments(parser: ArgumentParser) -> None:
    parser.description = "Say whether an interrupted action or job happened."
    add_data_dir(parser)
    parser.add_argument("run_id", metavar="RUN")
    parser.add_argument("answer", choices=["happened", "not-happened", "skip"], metavar="happened|not-happened|skip")
    add_idempotency_key(parser)


def _resolve(options: Namespace) -> CommandResult:
    answer = call_api(
        options, "resolve", run=options.run_id, answer=options.answer, idempotency_key=options.idempotency_key
    )
    return CommandResult(answer, lambda done: [f"{done['run']} continues."])


def _retry_arguments(parser: ArgumentParser) -> None:
    parser.description = "Retry now what failed: one run, or everything that blocks a workflow or one of its handlers."
    add_data_dir(parser)
    parser.add_argument("target", metavar="RUN|WORKFLOW[/HANDLER]")
    add_idempotency_key(parser)


def _retry(options: Namespace) -> CommandResult:
    answer = call_api(options, "retry", target=options.target, idempotency_key=options.idempotency_key)
    return CommandResult(answer, lambda done: [f"Retrying: {', '.join(done['runs'])}"])


def _dismiss(options: Namespace) -> CommandResult:
    if is_group(options):
        return answer_group(options, "dismiss", _render_listed)
    answer = call_api(options, "dismiss", request=options.asked[0], idempotency_key=options.idempotency_key)
    return CommandResult(answer, _render_dismissed)


def _render_dismissed(answer: dict[str, Any]) -> Iterator[str]:
    yield "Dismissed. What it stopped stays stopped until you try again." if answer.get("stopped") else "Dismissed."


VERBS = {
    "attention": Command(_attention_arguments, _attention),
    "approve": Command(
        _request_arguments("Approve requests: exactly what each of them shows is done.", always=True), _approve
    ),
    "answer": Command(_answer_arguments, _answer),
    "reject": Command(
        _request_arguments(
            "Reject requests: the actions are skipped, and their runs continue without them.", reason=True
        ),
        _reject,
    ),
    "resolve": Command(_resolve_arguments, _resolve),
    "retry": Command(_retry_arguments, _retry),
    "dismiss": Command(
        _request_arguments("Stop showing what went wrong. What is stopped stays stopped.", can_choose_all=False),
        _dismiss,
    ),
}
