"""`attention`, `approve`, `reject`, `resolve`, `retry`: what waits for you, and your answers."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from app.keeping.folder import add_data_dir
from app.verbs.human import on_one_line, say_time
from app.verbs.verb import Told, Verb, ask


def _attention_arguments(parser: ArgumentParser) -> None:
    parser.description = "Show what waits for you, with exactly what would be done, and how to answer."
    add_data_dir(parser)


def _attention(options: Namespace) -> Told:
    return Told(ask(options, "attention"), _say_attention)


def _say_attention(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["requests"]:
        yield "Nothing needs you."
    for one in answer["requests"]:
        yield f"{one['id']}  {', '.join(one['workflows'])}, {one['kind'].replace('-', ' ')}, {say_time(one['created'])}"
        yield f"    {on_one_line(one['sentence'])}"
        if one["call"]:
            given = json.dumps(one["call"]["parameters"], ensure_ascii=False)
            yield f"    {one['call']['tool']} of {one['call']['connection']}: {given}"
            yield from _say_target(one["call"].get("target"))
        if one["kind"] == "approval":
            yield from (f"    {on_one_line(name)}: {on_one_line(shown)}" for name, shown in (one["ui"] or {}).items())
        if one["kind"] in ("fix", "repaired"):
            yield from (f"    {line}" for line in one["ui"]["difference"].splitlines())
        yield f"    {'  |  '.join(one['how'])}"


def _say_target(target: Any) -> Iterator[str]:
    """What has that name now, so that it can be told from another."""
    if isinstance(target, dict) and target.get("kind") == "file":
        when = datetime.fromtimestamp(target["modified_ns"] / 1e9, UTC)
        yield f"    there now: a file of {target['size']} bytes, changed {say_time(when.isoformat())}"
    elif isinstance(target, dict) and "kind" in target:
        yield f"    there now: a {target['kind']}"


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
