"""Workflows with one approved action for each service that may act late."""

from dataclasses import dataclass
from typing import Any

from scheduler.connections.secrets import Secrets
from scheduler.engine.runtime import Runtime
from tests.connections.emulator import ANNA, ANNAS_TOKEN, SLACK_TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A workflow's call to a service; {mark} is replaced by the workflow's own mark."""

    connection: str
    tool: str
    call: str
    secrets: dict[str, Any]


ACTIONS = {
    "slack post": Action(
        connection="slack:work",
        tool="post",
        call='channel="random", text="{mark}"',
        secrets={"access_token": SLACK_TOKEN},
    ),
    "gmail send": Action(
        connection="google:me",
        tool="send_mail",
        call='to=["bert@example.org"], subject="{mark}", text="Hi"',
        secrets={"access_token": ANNAS_TOKEN, "account": ANNA},
    ),
    "drive upload": Action(
        connection="google:me",
        tool="upload_file",
        call='name="{mark}.txt", text="Hi"',
        secrets={"access_token": ANNAS_TOKEN, "account": ANNA},
    ),
}

_SOURCE = """
import dayhand
flow = dayhand.Workflow("{mark}", connections=["{connection}"])
t = flow.topic("t")

@flow.consumer(subscribe=[t], approve="always")
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=1)
        return dayhand.prepared(reserve=batch, say="Act") if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("{connection}", "{tool}", {call})

    def next(self, ctx, prepared, result, state):
        return {{"outcome": ctx.outcome}}
"""


def write_workflow(action: Action, mark: str) -> str:
    call = action.call.replace("{mark}", mark)
    return _SOURCE.format(mark=mark, connection=action.connection, tool=action.tool, call=call)


def connect(runtime: Runtime, secrets: Secrets, action: Action, url: str) -> None:
    """As if the user had signed in there."""
    secrets.keep(action.connection, action.secrets)
    runtime.grant_commands.save_connection(action.connection, {"base_url": url})
