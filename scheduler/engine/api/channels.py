"""Verbs on channels: their rules, their codes, and a test. Only the user may use them."""

import os
from dataclasses import replace
from typing import Any

from scheduler.engine.api.backend import Backend
from scheduler.engine.api.json_values import to_json
from scheduler.engine.channels.stored_rules import read_rules, require_channel, save_rules
from scheduler.engine.errors import RefusedError
from scheduler.engine.runtime import Runtime
from scheduler.engine.scheduling.launcher import Announcement
from scheduler.rules.channels import BadChannelRuleError, ChannelRules, parse_rule
from scheduler.rules.one_time_codes import key_address, make_key
from scheduler.user_text import UserText

_KEY_BYTES = 20


class ChannelApi:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def channel_change(self, channel: str, changes: dict[str, Any]) -> dict[str, Any]:
        """Change rules by name; values may be text as typed."""
        try:
            parsed = {key: value for name, given in changes.items() for key, value in parse_rule(name, given).items()}
        except BadChannelRuleError as error:
            raise RefusedError("arguments", error.sentence) from error

        def act(runtime: Runtime) -> ChannelRules:
            with runtime.database.write() as db:
                found = require_channel(db, runtime.registry, channel)
                rules = replace(read_rules(db, channel), **parsed)
                if found.needs_recipient and rules.is_on and not rules.to:
                    raise RefusedError(
                        "arguments",
                        UserText("Say where {name} is to send to: dayhand channels {name} --to ADDRESS", name=channel),
                    )
                save_rules(db, channel, rules)
            runtime.engine.context.announce(Announcement(channel))
            return rules

        return {"channel": channel, "rules": to_json(self._backend.execute(act).to_json())}

    def channel_code(self, channel: str) -> dict[str, Any]:
        """Create a new key for the user's authenticator app; it is shown only now."""
        found = self._backend.channels.channel(channel)
        if found.proves_sender or not found.code_field:
            raise RefusedError(
                "channel",
                UserText(
                    "{name} uses no authenticator app. Its code is a setting: dayhand connect {name}", name=channel
                ),
            )
        key = make_key(os.urandom(_KEY_BYTES))

        def save(settings: dict[str, Any]) -> dict[str, Any]:
            return self._backend.execute(lambda runtime: runtime.grant_commands.save_connection(channel, settings))

        known = next(one.settings for one in self._backend.queries.connections() if one.connection == channel)
        self._backend.connection_setup.connect(channel, {**known, found.code_field: key}, save, test=False)
        return {"channel": channel, "key": key, "address": key_address(key, channel)}

    def channel_unlock(self, channel: str) -> dict[str, Any]:
        """Accept answers again."""
        return self._backend.execute(lambda runtime: runtime.channel_answers.unlock(channel))

    def channel_test(self, channel: str) -> dict[str, Any]:
        """Send a test message now."""
        return self._backend.channels.send_test(channel)
