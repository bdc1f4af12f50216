"""Answers that come through a channel. A button's token counts once, for one request and exactly the call it showed.

Where the service does not prove who answered, whoever can read a message can press its buttons. Everything but a
rejection then needs a code of the user's authenticator app. A code counts once and only for the one answer that waits
for it, so nobody who sees it can use it. As soon as somebody else publishes a message, which might mislead the user,
only rejections are accepted.
"""

import hmac
import re
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from scheduler.connections.channel import UserChannel
from scheduler.connections.errors import ConnectionRuleError
from scheduler.connections.registry import Registry
from scheduler.engine.channels.outbox import hash_text
from scheduler.engine.channels.stored_rules import has_code, read_rules, read_state, require_channel, save_state
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.engine.workflows.request_commands import RequestCommands
from scheduler.rules.channels import HARMLESS_ACTIONS, ChannelRules, CodeUse, list_answers
from scheduler.rules.one_time_codes import find_step, parse_code, parse_key
from scheduler.rules.requests import RequestAction, RequestKind
from scheduler.store import channel_messages, requests
from scheduler.store.channel_messages import ChannelMessageKind, ChannelMessageRow, ChannelMessageState
from scheduler.store.requests import RequestRow
from scheduler.user_text import UserText, pack

MAX_WRONG_CODES = 5
_LIVE = (ChannelMessageState.SENDING, ChannelMessageState.SENT)
"""A message may be answered before the service has confirmed that it was sent."""
_TOO_LATE = UserText("That was already answered; nothing was changed.")
_USER_CODE = re.compile(r"\s*([0-9]{4})\s*", re.ASCII)
_PAYLOAD = re.compile(r"([a-z-]{1,20})\.([A-Za-z0-9_-]{20,64})", re.ASCII)


class AnswerResult(StrEnum):
    DONE = "done"
    NEEDS_CODE = "needs code"
    REFUSED = "refused"
    IGNORED = "ignored"
    """It was no answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelAnswer:
    """What became of something that came through a channel."""

    result: AnswerResult
    sentence: str = ""
    request: str = ""
    action: str = ""


_IGNORED = ChannelAnswer(result=AnswerResult.IGNORED)


def needs_code(
    registry: Registry, channel: UserChannel, rules: ChannelRules, row: RequestRow, action: RequestAction, *, has: bool
) -> bool:
    """`has`: whether the user has set up a code. Without one, only those who want it always are asked for it."""
    if action in HARMLESS_ACTIONS:
        return False
    if not channel.proves_sender or rules.code is CodeUse.ALWAYS:
        return True
    return has and rules.code is CodeUse.LASTING and _is_lasting(registry, row, action)


def list_offered(db: sqlite3.Connection, registry: Registry, name: str, row: RequestRow) -> tuple[RequestAction, ...]:
    """The buttons of a message about the request: only what can be answered with them."""
    channel, rules = require_channel(db, registry, name), read_rules(db, name)
    if channel.receive is None:
        return ()
    has, is_locked = has_code(db, name, channel), bool(read_state(db, name).locked)
    return tuple(
        action
        for action in list_answers(row.kind)
        if action in HARMLESS_ACTIONS
        or (not is_locked and (has or not needs_code(registry, channel, rules, row, action, has=has)))
    )


def _is_lasting(registry: Registry, row: RequestRow, action: RequestAction) -> bool:
    """Whether what follows from the answer may be impossible to undo."""
    if row.kind is not RequestKind.APPROVAL:
        return action is not RequestAction.HAPPENED
    call = row.call if isinstance(row.call, dict) else {}
    try:
        return registry.tool(str(call.get("connection")), str(call.get("tool"))).acts_on_others
    except ConnectionRuleError:
        return True


class ChannelAnswers:
    """Belongs to the engine's thread."""

    def __init__(self, context: EngineContext, registry: Registry, commands: RequestCommands) -> None:
        self._context = context
        self._registry = registry
        self._commands = commands

    def press(self, name: str, payload: str) -> ChannelAnswer:
        """A button was pressed."""
        found = _PAYLOAD.fullmatch(payload.strip())
        if found is None or found[1] not in list(RequestAction):
            return _IGNORED
        action, now = RequestAction(found[1]), self._context.clock.now()
        with self._context.database.write() as db:
            channel = require_channel(db, self._registry, name)
            row = channel_messages.find_by_token(db, hash_text(found[2]))
            if row is None or row.channel != name or row.request is None:
                return _IGNORED  # not said to whoever sent it
            request = requests.find(db, row.request)
            if (refusal := _refuse(row, request, action, now)) is not None:
                return refusal
            assert request is not None
            if action not in HARMLESS_ACTIONS and read_state(db, name).locked:
                return _refused(UserText("Answers through this channel are locked. Unlock it at your computer."), row)
            rules, has = read_rules(db, name), has_code(db, name, channel)
            if needs_code(self._registry, channel, rules, request, action, has=has):
                channel_messages.move(db, row.id, [row.state], row.state, pressed=action.value)
                return ChannelAnswer(result=AnswerResult.NEEDS_CODE, request=request.id, action=action.value)
            channel_messages.move(db, row.id, _LIVE, ChannelMessageState.USED)
        return self._answer(name, request, action)

    def confirm(self, name: str, text: str, key: str, listening_since: datetime) -> ChannelAnswer:
        """The user wrote something, perhaps the code for the one answer that waits for it.

        `listening_since`: from when on nothing that was published can have been missed.
        """
        now = self._context.clock.now()
        with self._context.database.write() as db:
            channel = require_channel(db, self._registry, name)
            is_right = self._check_code(db, name, channel, text, key, now)
            if is_right is None:
                return _IGNORED
            open_now = channel_messages.list_open(db, name)
            asked = [one for one in open_now if one.kind is ChannelMessageKind.CODE and one.state in _LIVE]
            pressed = [one for one in open_now if one.pressed is not None and one.state in _LIVE]
            if not is_right:
                return _refused(UserText("That code is wrong or was used before.")) if pressed else _IGNORED
            if read_state(db, name).locked:
                return _refused(UserText("Answers through this channel are locked. Unlock it at your computer."))
            waiting = {one.request for one in asked if _is_current(one, now, listening_since, channel)}
            for one in asked:
                channel_messages.move(db, one.id, [one.state], ChannelMessageState.USED)
            for one in pressed:
                channel_messages.move(db, one.id, [one.state], one.state, pressed=None)
            if not pressed:
                return _IGNORED
            if len(pressed) != 1 or pressed[0].request not in waiting:
                return _refused(UserText("It is not clear which answer that code is for. Press the button again."))
            [row] = pressed
            action = RequestAction(row.pressed or "")
            request = None if row.request is None else requests.find(db, row.request)
            if (refusal := _refuse(row, request, action, now)) is not None:
                return refusal
            assert request is not None
            channel_messages.move(db, row.id, _LIVE, ChannelMessageState.USED)
        return self._answer(name, request, action)

    def _check_code(
        self, db: sqlite3.Connection, name: str, channel: UserChannel, text: str, key: str, now: datetime
    ) -> bool | None:
        """Whether it is right; None if it is no code. A right one is used up; several wrong ones lock the channel."""
        state = read_state(db, name)
        changes: dict[str, Any] = {}
        if channel.proves_sender:
            found = _USER_CODE.fullmatch(text)
            if found is None or not key:
                return None
            is_right = hmac.compare_digest(found[1], key)
        else:
            code, secret = parse_code(text), parse_key(key)
            if code is None or secret is None:
                return None
            step = find_step(secret, code, now, state.last_step)
            is_right, changes = step is not None, {"last_step": step or state.last_step}
        wrong = 0 if is_right else state.wrong_codes + 1
        if wrong >= MAX_WRONG_CODES and not state.locked:
            changes["locked"] = pack(UserText("Wrong codes came {number} times in a row.", number=wrong))
        save_state(db, name, state, wrong_codes=wrong, **changes)
        return is_right

    def _answer(self, name: str, request: RequestRow, action: RequestAction) -> ChannelAnswer:
        """The same commands as from the window."""
        commands = self._commands
        try:
            match action:
                case RequestAction.APPROVE:
                    commands.approve(request.id, call_hash=request.hash, answered_from=name)
                case RequestAction.REJECT:
                    commands.reject(request.id, call_hash=request.hash, answered_from=name)
                case RequestAction.HAPPENED | RequestAction.NOT_HAPPENED:
                    assert request.run is not None
                    commands.resolve(request.run, action.value, answered_from=name)
                case _:
                    commands.retry(request.run or request.workflow, answered_from=name)
        except RefusedError as error:
            return ChannelAnswer(result=AnswerResult.REFUSED, sentence=error.sentence, request=request.id)
        answered = requests.find(self._context.database.read(), request.id)
        if answered is not None and answered.answered_from != name:  # the same answer came from elsewhere just before
            return ChannelAnswer(result=AnswerResult.REFUSED, sentence=_TOO_LATE, request=request.id)
        return ChannelAnswer(result=AnswerResult.DONE, request=request.id, action=action.value)

    def unlock(self, name: str) -> dict[str, str]:
        with self._context.database.write() as db:
            require_channel(db, self._registry, name)
            save_state(db, name, read_state(db, name), locked="", wrong_codes=0)
            for one in channel_messages.list_open(db, name):
                channel_messages.move(db, one.id, [one.state], one.state, pressed=None)
        self._context.announce(Announcement(name))
        return {"channel": name}


def _is_current(row: ChannelMessageRow, now: datetime, listening_since: datetime, channel: UserChannel) -> bool:
    if row.expires is None or now >= row.expires:
        return False
    return channel.proves_sender or row.created >= listening_since


def _refuse(
    row: ChannelMessageRow, request: RequestRow | None, action: RequestAction, now: datetime
) -> ChannelAnswer | None:
    """Why the token does not count; None if it does."""
    if request is None or request.answer is not None or row.state is ChannelMessageState.USED:
        return _refused(_TOO_LATE, row)
    if row.state not in _LIVE or row.expires is None or now >= row.expires:
        return _refused(UserText("This message is too old. Answer at your computer."), row)
    if row.call_hash != request.hash or action.value not in row.actions:
        return _refused(UserText("What it would do has changed since. Answer at your computer."), row)
    return None


def _refused(sentence: UserText, row: ChannelMessageRow | None = None) -> ChannelAnswer:
    request = "" if row is None else row.request or ""
    return ChannelAnswer(result=AnswerResult.REFUSED, sentence=sentence, request=request)
