"""`attention`, `approve`, `reject`, `resolve`, `retry`: what waits for you, and your answers."""

import json
import shlex
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from app.keeping.folder import add_data_dir
from app.verbs.human import on_one_line, say_time
from app.verbs.verb import Told, Verb, ask, stream
from app.widgets.plain import MORE as _CUT
from app.widgets.server_names import add_wire_forms, find_look_alikes

_MAX_VALUE = 300
"""Characters of one value in the list of all."""
_MAX_TIME = 2**63
"""Nanoseconds of the time of a file: a connector of others may say anything."""


def _attention_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what needs your attention, with exactly what would be done, and how to answer."
    add_data_dir(parser)
    parser.add_argument("asked", nargs="?", metavar="REQUEST", help="only this one, in full")


def _attention(options: Namespace) -> Told:
    where = "" if options.data_dir is None else f" --data-dir {shlex.quote(str(options.data_dir))}"
    if options.asked is None:
        return Told(ask(options, "attention"), partial(_say_attention, where=where))
    pieces = (one["piece"]["text"] for one in stream(options, "request_show", request=options.asked) if "piece" in one)
    whole = json.loads("".join(pieces))
    return Told({"requests": [whole]}, lambda _: _say_request(whole, where))


def _say_attention(answer: dict[str, Any], where: str) -> Iterator[str]:
    if not answer["requests"]:
        yield "Nothing needs you."
    for one in answer["requests"]:
        yield from _say_request(one, where, _MAX_VALUE)


def _say_request(one: dict[str, Any], where: str, limit: int | None = None) -> Iterator[str]:
    """In lines of ours; with a limit, each value in one line that says where it is cut.

    `where` follows the commands that it names, so that they can be typed as they are.
    """
    lines = [*_say_call(one, limit), *_say_script(one, limit)]
    yield f"{one['id']}  {', '.join(one['workflows'])}, {one['kind'].replace('-', ' ')}, {say_time(one['created'])}"
    yield from (f"    {add_wire_forms(line)}" for line in lines)
    if one["kind"] in ("fix", "repaired"):
        yield from (f"    {line}" for line in one["ui"]["difference"].splitlines())
    if limit is not None and (one.get("omitted") or any(line.endswith(_CUT) for line in lines)):
        yield f"    See all of it: dayhand attention {one['id']}{where}"
    yield f"    {'  |  '.join(f'{command}{where}' for command in one['how'])}"


def _say_call(one: dict[str, Any], limit: int | None) -> Iterator[str]:
    if not one["call"]:
        return
    call = one["call"]
    parameters = call.get("parameters")
    yield f"{on_one_line(call.get('tool'))} of {on_one_line(call.get('connection'))}"
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
        yield f"Currently there: {_say_target(target, limit)}"
    for alike in find_look_alikes(parameters).look_alikes:
        yield f"Check this address: {alike.wire} looks like {alike.meant} but is a different server."


def _say_script(one: dict[str, Any], limit: int | None) -> Iterator[str]:
    """The sentence, marked where it is a script's own; and what a script adds."""
    sentence = _shorten(on_one_line(one["sentence"]), limit)
    yield f"The script says: {sentence}" if one["kind"] == "approval" else sentence
    if one["kind"] == "approval" and one["ui"]:
        added = one["ui"] if isinstance(one["ui"], dict) else {"": one["ui"]}
        yield from (f"  {json.dumps(name)}: {_write(shown, limit)}" for name, shown in added.items())


def _write(value: Any, limit: int | None) -> str:
    return _shorten(json.dumps(value, ensure_ascii=False), limit)


def _shorten(text: str, limit: int | None) -> str:
    return text if limit is None or len(text) <= limit else f"{text[:limit]} ({len(text):,} characters) {_CUT}"


def _say_target(target: Any, limit: int | None) -> str:
    """What has that name now, so that it can be told from another."""
    match target:
        case {"kind": "file", "size": int(size), "modified_ns": int(time)} if abs(time) < _MAX_TIME:
            when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=time // 1_000_000_000)
            return f"file, {size:,} bytes, modified {say_time(when.isoformat())}"
        case {"kind": "folder", **rest} if not rest.keys() - {"inode"}:
            return "folder"
        case {"kind": "link", "leads_to": place}:
            return f"link to {_write(place, limit)}"
        case _:
            return _write(target, limit)


def _request_arguments(description: str, *, always: bool = False) -> Callable[[ArgumentParser], None]:
    def add(parser: ArgumentParser) -> None:
        parser.description = description
        add_data_dir(parser)
        parser.add_argument("asked", metavar="REQUEST", help="its id, or the beginning of it")
        if always:
            parser.add_argument("--always", action="store_true", help="and do not ask again for the same tool")
        parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")

    return add


def _approve(options: Namespace) -> Told:
    answer = ask(options, "approve", request=options.asked, always=options.always, request_id=options.request)
    return Told(answer, lambda _: ["You said yes."])


def _reject(options: Namespace) -> Told:
    answer = ask(options, "reject", request=options.asked, request_id=options.request)
    return Told(answer, lambda _: ["You said no."])


def _resolve_arguments(parser: ArgumentParser) -> None:
    parser.description = "Say whether an outside action, or a job that was interrupted, happened."
    add_data_dir(parser)
    parser.add_argument("run_id", metavar="RUN")
    parser.add_argument("answer", choices=["happened", "not-happened", "skip"], metavar="happened|not-happened|skip")
    parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")


def _resolve(options: Namespace) -> Told:
    answer = ask(options, "resolve", run=options.run_id, answer=options.answer, request_id=options.request)
    return Told(answer, lambda told: [f"{told['run']} goes on from that."])


def _retry_arguments(parser: ArgumentParser) -> None:
    parser.description = "Try again now what failed: a run, or all that holds up a workflow."
    add_data_dir(parser)
    parser.add_argument("target", metavar="RUN|WORKFLOW")
    parser.add_argument("--request", metavar="ID", help="the same id again gets the first answer")


def _retry(options: Namespace) -> Told:
    answer = ask(options, "retry", target=options.target, request_id=options.request)
    return Told(answer, lambda told: [f"Tries again: {', '.join(told['runs'])}"])


VERBS = {
    "attention": Verb(_attention_arguments, _attention),
    "approve": Verb(_request_arguments("Say yes to exactly what was asked.", always=True), _approve),
    "reject": Verb(_request_arguments("Say no: it is left out, and its run goes on knowing that."), _reject),
    "resolve": Verb(_resolve_arguments, _resolve),
    "retry": Verb(_retry_arguments, _retry),
}
