"""`channels`: what carries questions and news to the user's phone or mailbox, and by which rules."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from typing import Any

from app.cli.command import Command, CommandResult, call_api
from app.cli.command_line import UsageError
from app.cli.formatting import format_table, format_time
from app.data.data_dir import add_data_dir

_VERBS = {"code": "channel_code", "test": "channel_test", "unlock": "channel_unlock"}
_RULES = (
    ("--topics", "topics", "LIST", "what is sent: questions, problems, messages (of scripts), with commas between"),
    ("--workflows", "workflows", "LIST", "only about these workflows; all for every one"),
    ("--timing", "timing", "WHEN", "always; or away: the screen is locked, or nobody was there for --minutes"),
    ("--minutes", "minutes", "NUMBER", "how long the computer is unused or a question unanswered before it is sent"),
    ("--hourly", "hourly", "NUMBER", "at most so many messages an hour"),
    ("--questions-pass", "questions_pass", "on|off", "send questions even in quiet hours"),
    ("--shows-call", "shows_call", "on|off", "send exactly what would be done; the service can read it"),
    ("--code", "code", "WHEN", "when an answer needs a code: never, lasting (what cannot be undone) or always"),
    ("--to", "to", "ADDRESS", "the mail address to send to"),
)


def _arguments(parser: ArgumentParser) -> None:
    parser.description = """List what can carry questions and news to you, or change when it does.

Connect a channel first: dayhand connect ntfy:me, or telegram:me. A mail connection such as smtp:work can carry news;
turn it on with --on --to you@example.org.

  dayhand channels                          list them
  dayhand channels ntfy:me                  show the settings of one
  dayhand channels ntfy:me --timing always  change them
  dayhand channels code ntfy:me             create a key for your authenticator app, needed to approve through ntfy
  dayhand channels test ntfy:me             send a test message
  dayhand channels unlock ntfy:me           accept answers again after a warning"""
    add_data_dir(parser)
    parser.add_argument("words", nargs="*", metavar="CHANNEL")
    switch = parser.add_mutually_exclusive_group()
    switch.add_argument("--on", dest="is_on", action="store_true", default=None, help="use it")
    switch.add_argument("--off", dest="is_on", action="store_false", help="do not use it")
    parser.add_argument("--quiet", metavar="HOURS", help="no messages in these hours, such as 22:00-07:00, or off")
    for option, name, value, help_line in _RULES:
        parser.add_argument(option, dest=name, metavar=value, help=help_line)


def _channels(options: Namespace) -> CommandResult:
    changes = _read_changes(options)
    match options.words:
        case [] if not changes:
            return CommandResult(call_api(options, "channels"), _render_all)
        case [verb, name] if verb in _VERBS and not changes:
            return CommandResult(call_api(options, _VERBS[verb], channel=name), _RENDER[verb])
        case [name] if changes:
            return CommandResult(call_api(options, "channel_change", channel=name, changes=changes), _render_rules)
        case [name] if name not in _VERBS:
            found = [one for one in call_api(options, "channels")["channels"] if one["channel"] == name]
            if not found:
                raise UsageError(f"{name} is not a channel. Connect it first: dayhand connect {name}")
            return CommandResult(found[0], _render_one)
    raise UsageError("Name one channel, such as ntfy:me. See dayhand channels --help")


def _read_changes(options: Namespace) -> dict[str, Any]:
    names = ["is_on", *(name for _, name, _, _ in _RULES)]
    changes = {name: value for name in names if (value := getattr(options, name)) is not None}
    if options.quiet is None:
        return changes
    start, dash, end = options.quiet.partition("-")
    if options.quiet != "off" and not dash:
        raise UsageError("--quiet takes hours such as 22:00-07:00, or off.")
    if options.quiet == "off":
        return {**changes, "is_quiet": False}
    return {**changes, "is_quiet": True, "quiet_from": start.strip(), "quiet_until": end.strip()}


def _render_all(answer: dict[str, Any]) -> Iterator[str]:
    if not answer["channels"]:
        yield "There are no channels. Connect your phone: dayhand connect ntfy:me, or dayhand connect telegram:me"
        return
    yield from format_table(
        ("CHANNEL", "STATUS", "SENDS", "WHEN", "LAST SENT"),
        [
            (
                one["channel"],
                _describe_status(one),
                ", ".join(one["rules"]["topics"]) or "nothing",
                _describe_timing(one["rules"]),
                format_time(one["last_sent"], "never"),
            )
            for one in answer["channels"]
        ],
    )
    for one in answer["channels"]:
        if one["locked"]:
            yield f"{one['channel']} is locked: {one['locked']}"


def _describe_status(one: dict[str, Any]) -> str:
    if one["trouble"]:
        return str(one["trouble"])
    if not one["rules"]["is_on"]:
        return "off"
    if one["locked"]:
        return "on, locked"
    if not one["takes_answers"]:
        return "on, only news"
    return "on" if one["proves_sender"] or one["has_code"] else "on, cannot approve"


def _describe_timing(rules: dict[str, Any]) -> str:
    return "always" if rules["timing"] == "always" else f"when you are away ({rules['minutes']} min)"


def _render_one(one: dict[str, Any]) -> Iterator[str]:
    yield f"{one['channel']}: {one['title']}, {_describe_status(one)}"
    if one["locked"]:
        yield f"{one['locked']}"
    elif one["takes_answers"] and not one["proves_sender"] and not one["has_code"]:
        yield f"To approve from the phone, set up your authenticator app: dayhand channels code {one['channel']}"
    yield from _list_rules(one["rules"])


def _render_rules(answer: dict[str, Any]) -> Iterator[str]:
    yield f"{answer['channel']} is set."
    yield from _list_rules(answer["rules"])


def _list_rules(rules: dict[str, Any]) -> Iterator[str]:
    quiet = f"{rules['quiet_from']}-{rules['quiet_until']}" if rules["is_quiet"] else "off"
    shown = {**rules, "quiet": quiet, "topics": ",".join(rules["topics"])}
    shown["workflows"] = ",".join(rules["workflows"]) or "all"
    for name in ("is_on", "quiet_from", "quiet_until", "is_quiet"):
        del shown[name]
    for name, value in shown.items():
        text = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
        yield f"  {name.replace('_', '-'):16} {text}".rstrip()


def _render_code(answer: dict[str, Any]) -> Iterator[str]:
    yield f"Key for your authenticator app: {answer['key']}"
    yield f"The same as an address: {answer['address']}"
    yield "Enter one of them in the app now; it is not shown again. A key that you created before no longer counts."


_RENDER = {
    "code": _render_code,
    "test": lambda answer: [f"A test message was sent to {answer['channel']}."],
    "unlock": lambda answer: [f"{answer['channel']} accepts answers again."],
}
VERBS = {"channels": Command(_arguments, _channels)}
