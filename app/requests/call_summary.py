"""Summarizes a call in one line, for notifications and menus that have no space for the whole call. Pure.

A summary that leaves out something important is incomplete: the user may then only review the call, not approve it.
For a tool that acts on others (sends, posts, deletes), every exact value is important; for one that is local and can be
undone, only the tool, its target and the amount. A value must not look like part of our sentence: one that could is
quoted and makes the summary incomplete.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QCoreApplication

from app.i18n.time_text import format_number
from app.overview import CallSummary
from app.widgets.server_names import find_look_alikes
from app.widgets.value_text import escape_hidden, format_key, format_line
from app.widgets.visible_text import ELLIPSIS, truncate
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry

MAX_SUMMARY = 160
"""Characters; short, since it is unknown how much a desktop shows."""
_MAX_VALUE, _MAX_SHORT_VALUE = 60, 24
"""Characters of a value; of names and texts that would leave no room for recipients and amounts."""
_MAX_PEOPLE, _MAX_SHORT_PEOPLE = 3, 1
_MAX_CHECKED = 20_000
_WRITTEN_OUT = "⟨"
"""Starts an escaped hidden character, or the other form of a host name; both are better reviewed on a card."""
_SEPARATORS = re.compile(r"""[\s";,]|:$|[^\w\x00-\x7f]""")
"""Characters that seem to end a value, and everything that looks like them."""
_QUOTES = re.compile(
    "[\"\u02ba\u02dd\u02ee\u05f4\u201c-\u201f\u2033\u2036\u275d\u275e\u3003\u301d-\u301f\uff02]|['`\u00b4\u2018-\u201b]{2}"
)
"""What could be mistaken for the end of a quoted text."""
translate = QCoreApplication.translate


def summarize_call(call: Any, registry: Registry) -> CallSummary:
    """`call` is the call of a request: connection, tool and parameters. Any other form is incomplete."""
    given: Mapping[str, Any] = call if isinstance(call, Mapping) else {}
    connection, tool, parameters = given.get("connection"), given.get("tool"), given.get("parameters")
    if not (isinstance(connection, str) and isinstance(tool, str) and isinstance(parameters, Mapping)):
        text = _fit(translate("summaries", "Use {tool} on {name}").format(tool=_name(tool), name=_name(connection)))
        return CallSummary(text, is_complete=False, headline=text)
    is_strict = _acts_on_others(connection, tool, registry)
    values, headline = _word(_Values(parameters, is_strict=is_strict), connection, tool)
    text = headline + values.say_rest()
    if len(text) > MAX_SUMMARY:
        values, headline = _word(_Values(parameters, is_strict=is_strict, is_short=True), connection, tool)
        text = headline + values.say_rest()
    checked = find_look_alikes(parameters, _MAX_CHECKED)
    is_plain = checked.is_complete and not checked.look_alikes and _is_plain_target(given.get("target"))
    is_complete = values.is_complete and is_plain and len(text) <= MAX_SUMMARY
    return CallSummary(_fit(text), is_complete, _fit(headline))


def _word(values: "_Values", connection: str, tool: str) -> "tuple[_Values, str]":
    """The sentence of a tool, and the values that it did not take."""
    kind, _, name = connection.partition(":")
    say = _SENTENCES.get((kind, tool))
    if say is None:
        said = translate("summaries", "Use {tool} on {name}")
        return values, said.format(tool=values.show(tool), name=values.show(connection))
    return values, say(values, values.show(name or kind))


def _name(value: Any) -> str:
    return _enclose(value) if isinstance(value, str) else format_line(value, _MAX_VALUE)


def _is_plain_target(target: Any) -> bool:
    """Whether it is a plain file: the name does not show whether it is a link or a folder."""
    return not isinstance(target, Mapping) or target.get("kind", "file") == "file"


def _fit(text: str) -> str:
    return text if len(text) <= MAX_SUMMARY else truncate(text, MAX_SUMMARY - 1)


def _enclose(text: str, limit: int = _MAX_VALUE) -> str:
    """In quotation marks; those inside are escaped."""
    shown = escape_hidden(text[:limit]).replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ↵ ")
    return f'"{shown}{ELLIPSIS if len(text) > limit else ""}"'


def _acts_on_others(connection: str, tool: str, registry: Registry) -> bool:
    try:
        return registry.tool(connection, tool).acts_on_others
    except ConnectionRuleError:
        return True


class _Values:
    """The parameters that are not in the summary yet, and whether the others are shown exactly."""

    def __init__(self, parameters: Mapping[str, Any], *, is_strict: bool, is_short: bool = False) -> None:
        """`is_short`: cut names and texts, but neither recipients nor amounts."""
        self._left = {key: value for key, value in parameters.items() if value is not None or is_strict}
        self._is_strict = is_strict
        self._limit = _MAX_SHORT_VALUE if is_short else _MAX_VALUE
        self._max_people = _MAX_SHORT_PEOPLE if is_short else _MAX_PEOPLE
        self.is_complete = True

    def __contains__(self, key: str) -> bool:
        return self._left.get(key) is not None

    def take(self, key: str) -> Any:
        """Remove and return a value; None values stay for `say_rest`."""
        return self._left.pop(key) if key in self else None

    def show(self, value: Any, limit: int = 0) -> str:
        """Unquoted, unless it could be mistaken for more than one value."""
        limit = limit or self._limit
        if isinstance(value, str) and _SEPARATORS.search(value):
            self.is_complete = False
            return self._check(_enclose(value, limit))
        return self._check(format_line(value, limit))

    def _check(self, shown: str) -> str:
        if ELLIPSIS in shown or _WRITTEN_OUT in shown or '\\"' in shown:
            self.is_complete = False
        return shown

    def word(self, key: str) -> str:
        return self.show(self.take(key))

    def quote(self, value: Any) -> str:
        """In quotation marks, for text that may contain spaces."""
        if not isinstance(value, str) or not value:
            return self.show(value)
        if _QUOTES.search(value):
            self.is_complete = False
        return self._check(_enclose(value, self._limit))

    def text(self, key: str) -> str:
        """A short text in full, a long one by its length."""
        value = self.take(key)
        if not isinstance(value, str) or len(value) <= self._limit:
            return self.quote(value)
        self.is_complete = self.is_complete and not self._is_strict
        return translate("summaries", "text of {number} characters").format(number=format_number(len(value)))

    def count(self, key: str) -> int:
        """The number of items; where the items matter, the summary is incomplete."""
        value = self.take(key)
        is_list = isinstance(value, list)
        self.is_complete = self.is_complete and is_list and not self._is_strict
        return len(value) if is_list else 1

    def people(self, **roles: str) -> str:
        """All recipients by parameter and the word before each; the first few, and how many more."""
        said: list[str] = []
        number = 0
        for key, role in roles.items():
            value = self.take(key)
            given = value if isinstance(value, list) else [] if value is None else [value]
            number += len(given)
            said += [f"{role}{self.show(one, _MAX_VALUE)}" for one in given[: self._max_people - len(said)]]
        if number == len(said):
            return ", ".join(said) or self.show(None)
        self.is_complete = False
        more = translate("summaries", "{people} and {number} more")
        return more.format(people=", ".join(said), number=format_number(number - len(said)))

    def forget(self, *keys: str) -> None:
        """Leave out parameters that only identify the same object in another way."""
        for key in keys:
            self._left.pop(key, None)

    def say_rest(self) -> str:
        """The values that the sentence does not mention."""
        said = ""
        while self._left and len(said) <= MAX_SUMMARY:
            key = next(iter(self._left))
            shown = self.show(key)
            value = self.show(self._left.pop(key))
            said += f"; {format_key(key) if shown == key else shown}: {value}"
        self.is_complete = self.is_complete and not self._left
        return said


def _send_mail(values: _Values, name: str) -> str:
    people = values.people(to="", cc="Cc ", bcc="Bcc ")
    said = translate("summaries", "Send mail from {name} to {people}: {subject}").format(
        name=name, people=people, subject=values.quote(values.take("subject"))
    )
    said += "".join(f", {values.text(key)}" for key in ("text", "html") if key in values)
    if "attachments" in values:
        number = format_number(values.count("attachments"))
        said += ", " + translate("summaries", "attachments: {number}").format(number=number)
    return said


def _post(values: _Values, name: str) -> str:
    said = translate("summaries", "Post to {channel} on {name}: {text}")
    return said.format(channel=values.word("channel"), name=name, text=values.text("text"))


def _send_to_api(values: _Values, name: str) -> str:
    method = values.show(values.take("method") or "POST")
    said = translate("summaries", "Send {method} {path} to {name}")
    return said.format(method=method, path=values.word("path"), name=name)


def _delete_file(values: _Values, name: str) -> str:
    return translate("summaries", "Delete {path} in {name}").format(path=values.word("path"), name=name)


def _write_file(values: _Values, name: str) -> str:
    replaces = values.take("overwrite")
    said = translate("summaries", "Write {path} in {name}")
    if replaces:
        said = translate("summaries", "Write {path} in {name}, replacing the existing file")
    said = said.format(path=values.word("path"), name=name)
    return said + "".join(f", {values.text(key)}" for key in ("text", "base64") if key in values)


def _move_file(values: _Values, name: str) -> str:
    said = translate("summaries", "Move {source} to {target} in {name}")
    return said.format(source=values.word("source"), target=values.word("target"), name=name)


def _move_files(values: _Values, name: str) -> str:
    number = values.count("moves")
    if number == 1:
        return translate("summaries", "Move 1 file in {name}").format(name=name)
    return translate("summaries", "Move {number} files in {name}").format(number=format_number(number), name=name)


def _add_rows(values: _Values, name: str) -> str:
    number = values.count("rows")
    if number == 1:
        return translate("summaries", "Add 1 row to {name}").format(name=name)
    return translate("summaries", "Add {number} rows to {name}").format(number=format_number(number), name=name)


def _move_mail(values: _Values, name: str) -> str:
    values.forget("uidvalidity", "message_id")
    said = translate("summaries", "Move message {message} from {folder} to {target} in {name}")
    folder = values.show(values.take("folder") or "INBOX")
    return said.format(message=values.word("uid"), folder=folder, target=values.word("to"), name=name)


def _flag_mail(values: _Values, name: str) -> str:
    values.forget("uidvalidity")
    said = translate("summaries", "Mark message {message} in {folder} of {name}")
    folder = values.show(values.take("folder") or "INBOX")
    return said.format(message=values.word("uid"), folder=folder, name=name)


def _label_mail(values: _Values, name: str) -> str:
    said = translate("summaries", "Change the labels of message {message} in {name}")
    return said.format(message=values.word("id"), name=name)


def _add_event(title: str) -> "Callable[[_Values, str], str]":
    def say(values: _Values, name: str) -> str:
        said = translate("summaries", "Add {title} at {start} to the calendar of {name}")
        return said.format(title=values.quote(values.take(title)), start=values.word("start"), name=name)

    return say


def _upload_file(values: _Values, name: str) -> str:
    said = translate("summaries", "Upload {file} to {name}").format(file=values.word("name"), name=name)
    return said + "".join(f", {values.text(key)}" for key in ("text", "base64") if key in values)


def _notify(values: _Values, _name: str) -> str:
    said = translate("summaries", "Show a notification: {title}").format(title=values.quote(values.take("title")))
    return said + (f", {values.text('text')}" if "text" in values else "")


_SENTENCES: Mapping[tuple[str, str], Callable[[_Values, str], str]] = {
    ("caldav", "create"): _add_event("title"),
    ("files", "delete"): _delete_file,
    ("files", "move"): _move_file,
    ("files", "move_many"): _move_files,
    ("files", "write"): _write_file,
    ("google", "create_event"): _add_event("summary"),
    ("google", "label_mail"): _label_mail,
    ("google", "send_mail"): _send_mail,
    ("google", "upload_file"): _upload_file,
    ("http", "send"): _send_to_api,
    ("imap", "flag"): _flag_mail,
    ("imap", "move"): _move_mail,
    ("notify", "send"): _notify,
    ("slack", "post"): _post,
    ("smtp", "send"): _send_mail,
    ("table", "append"): _add_rows,
}
"""By kind of connection and tool. For any other tool, the summary is its name and all parameters."""
