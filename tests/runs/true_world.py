"""The outside world of random histories: it knows what really happened."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from scheduler.connections.connector import Call, Checked, ToolFailedError
from scheduler.rules.failures import FailureClass
from tests.runs.runtime_fixture import FakeService


@dataclass
class TrueWorld(FakeService):
    """Knows what really happened, and checks the stored mutations at every call."""

    wait_here: Callable[[str], None] = lambda _: None
    look_up: Callable[[str], list[str]] = lambda _: []
    expected_text: Callable[[Call], str | None] = lambda _: None
    """What the call should say, as the user approved it; None if they were not asked."""
    done: list[tuple[str, list[str]]] = field(default_factory=list)
    """The key and the events of every action that took place."""
    late_s: float | None = None
    """How long after the call the service applies an action that seemed lost; None if never."""
    coming: list[tuple[float, str, list[str]]] = field(default_factory=list)
    """When each late action takes place, with its key and events."""
    elapsed: Callable[[], float] = lambda: 0.0

    def act(self, call: Call) -> Any:
        assert self.look_up(call.key) == ["in_flight"], "the call was not stored, or had an outcome already"
        assert self.expected_text(call) in (None, call.parameters["text"]), "it is not what the user approved"
        self.wait_here("call")
        failure = self.fails.pop(0) if self.fails else None
        if failure is None or (failure.kind is FailureClass.UNSURE and self.happens):
            self.done.append((call.key, list(call.parameters["n"])))
            self.happened.add(call.key)
        self.wait_here("called")
        if failure is not None and failure.kind is FailureClass.UNSURE and not self.happens and self.late_s is not None:
            self.coming.append((self.elapsed() + self.late_s, call.key, list(call.parameters["n"])))
        if failure is not None:
            raise ToolFailedError(failure)
        return self.answer

    def carry_out(self) -> None:
        """Apply the late actions that are due."""
        now = self.elapsed()
        for at, key, batch in self.coming:
            if at <= now:
                self.done.append((key, batch))
                self.happened.add(key)
        self.coming = [one for one in self.coming if one[0] > now]

    def check(self, call: Call) -> Checked:
        self.wait_here("check")
        self.carry_out()
        return super().check(call)

    def look(self, call: Call) -> Any:
        self.wait_here("look")
        return super().look(call)
