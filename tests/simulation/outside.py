"""The services, the network and the keyring of a simulated desktop, with what really happened there."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from scheduler.connections.connector import Call, Checked, Field, ToolFailedError
from scheduler.connections.errors import VaultLockedError
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import NoSecrets
from scheduler.rules.failures import Failure, FailureClass
from tests.runs.true_world import TrueWorld

TOKEN = "a-token-that-nobody-may-store"
_OFFLINE = Failure(kind=FailureClass.TRANSIENT, sentence="There is no network.", counts=False)


@dataclass
class Outside(TrueWorld):
    """Applies late, answers wrongly or not at all, as the story says."""

    is_online: bool = True
    lies: int = 0
    """How many of the next actions are confirmed without having happened."""
    lied_about: set[str] = field(default_factory=set)
    check_lag_s: float = 0
    """The checker finds an action only that long after it happened."""
    happened_at: dict[str, float] = field(default_factory=dict)

    def act(self, call: Call) -> Any:
        assert call.settings.get("token") == TOKEN, "it acted without its secret"
        if not self.is_online:
            raise ToolFailedError(_OFFLINE)
        if self.lies and not self.fails:
            self.lies -= 1
            self.lied_about |= set(call.parameters["n"])
            self.wait_here("call")
            return self.answer
        try:
            return super().act(call)
        finally:
            if call.key in self.happened:
                self.happened_at.setdefault(call.key, self.elapsed())

    def look(self, call: Call) -> Any:
        if not self.is_online:
            raise ToolFailedError(_OFFLINE)
        return super().look(call)

    def check(self, call: Call) -> Checked:
        if not self.is_online:
            raise ToolFailedError(_OFFLINE)
        found = super().check(call)
        is_visible = self.elapsed() >= self.happened_at.get(call.key, 0) + self.check_lag_s
        return found if is_visible else Checked(happened=False, result=None)

    def recover(self) -> None:
        """From now on everything works."""
        self.fails, self.read_fails, self.check_fails, self.inbox = [], [], [], []
        self.is_online, self.lies, self.check_lag_s = True, 0, 0

    def registry(self) -> Registry:
        connector = super().registry().connector("world")
        return Registry([replace(connector, fields=(Field(name="token", label="Token", secret=True),))])


class FakeKeyring(NoSecrets):
    """In place of the system's keyring, which a simulation cannot lock thousands of times."""

    is_locked = False

    def read(self, connection: str) -> Mapping[str, Any]:
        del connection
        if self.is_locked:
            raise ToolFailedError(VaultLockedError().failure)
        return {"token": TOKEN}
