"""A runtime whose scripts act on a real folder through the real connector; run as a module, it is killed in the act.

python -m tests.runs.folder_runtime FOLDER PLACE: approve what FOLDER asks, and die when PLACE is first called: before
its work if PLACE starts with "before ", else after it.
"""

import os
import sys
from pathlib import Path
from typing import Any

from scheduler.connections.connectors.files import actions, changes
from scheduler.connections.connectors.files.connector import files
from scheduler.connections.registry import Registry
from scheduler.store import mutations
from scheduler.store.requests import RequestRow
from tests.killing import KILL
from tests.runs.runtime_fixture import RuntimeFixture

SCRIPT = """
import dayhand
flow = dayhand.Workflow("W", connections=["files:inbox"])
t = flow.topic("t")

@flow.consumer(subscribe=[t], approve="{approve}")
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=1)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(reserve=batch, data=batch[0].data, say="Act")

    def mutate(self, ctx, prepared):
        ctx.call("files:inbox", "{tool}", **prepared.data)
"""


class FolderRuntime(RuntimeFixture):
    def open(self) -> None:
        self.service.registry = lambda: Registry([files])  # type: ignore[method-assign]
        super().open()

    @property
    def inbox(self) -> Path:
        place = self.folder / "inbox"
        place.mkdir(exist_ok=True)
        return place

    def start(self, tool: str, approve: str = "always", **parameters: Any) -> None:
        """Connect the folder, deploy, and publish one event that calls the tool with these parameters."""
        self.services.connect("files:inbox", {"path": str(self.inbox)})
        self.deploy(SCRIPT.format(tool=tool, approve=approve))
        self.publish("a", parameters)
        self.tick()

    def only_request(self) -> RequestRow:
        [request] = self.requests()
        assert request.kind == "approval", request
        return request

    def approve(self) -> None:
        self.request_commands.approve(self.only_request().id)
        self.tick()

    def outcome(self) -> str:
        """The mutation status of the newest attempt that acted."""
        statuses = [mutations.status_of(self.database.read(), row.id) for row in self.runs("C")]
        return str([one for one in statuses if one is not None][-1])


def die_at(place: str) -> None:
    side, _, name = place.rpartition(" ")
    owner: Any = actions if hasattr(actions, name) else changes
    real = getattr(owner, name)

    def dying(*given: Any) -> None:
        if side != "before":
            real(*given)
        os.kill(os.getpid(), KILL)

    setattr(owner, name, dying)


if __name__ == "__main__":
    runtime = FolderRuntime(Path(sys.argv[1]))
    die_at(sys.argv[2])
    runtime.approve()
