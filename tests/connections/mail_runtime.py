"""A complete runtime with real workers and mail servers, and secrets in memory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scheduler.connections.connectors.mail.imap import imap
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.connections.registry import Registry
from tests.connections.dovecot import Dovecot
from tests.connections.smtp_server import SmtpServer
from tests.runs.runtime_fixture import RuntimeFixture


class MemorySecrets:
    """Replaces the keyring."""

    def __init__(self) -> None:
        self.secrets: dict[str, dict[str, Any]] = {}

    def read(self, connection: str) -> Mapping[str, Any]:
        return self.secrets.get(connection, {})

    def read_saved(self, connection: str) -> Mapping[str, Any]:
        return self.read(connection)

    def keep(self, connection: str, secrets: Mapping[str, Any]) -> None:
        self.secrets[connection] = dict(secrets)

    def forget(self, connection: str) -> None:
        self.secrets.pop(connection, None)


class MailRuntime(RuntimeFixture):
    """A runtime with the mail connectors."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.kept = MemorySecrets()
        super().__init__(folder, **settings)

    def open(self) -> None:
        self.secrets = self.kept
        world = type(self.service).registry(self.service).connector("world")
        self.service.registry = lambda: Registry([world, imap, smtp])  # type: ignore[method-assign]
        super().open()


POLL = """
import dayhand
flow = dayhand.Workflow("{name}", connections=["imap:home", "world:x"])
mails = flow.topic("mails")

@flow.producer(every="1h", publishes=[mails])
def poll(ctx, state):
    while True:
        page = ctx.call(
            "imap:home", "search", after_uid=state.get("uid", 0), uidvalidity=state.get("uidvalidity"), limit={limit}
        )
        if not page:
            return state
        for mail in page:
            ctx.publish(mails, id=mail["message_id"], title=mail["subject"], data=mail)
        read = state.get("read", 0) + len(page)
        state = {{"uid": page[-1]["uid"], "uidvalidity": page[-1]["uidvalidity"], "read": read}}
        ctx.progress(read, text="mails")
        ctx.checkpoint(state)
        {between}

@flow.consumer(subscribe=[mails])
class Look:
    def prepare(self, ctx, state):
        return dayhand.nothing()
"""
SEND = """
import dayhand
flow = dayhand.Workflow("W", connections=["smtp:home"])
t = flow.topic("t")

@flow.consumer(subscribe=[t], approve="never")
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=1)
        return dayhand.prepared(reserve=batch, data=[e.id for e in batch], say="Write") if batch else dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("smtp:home", "send", to="anna@example.org", subject=prepared.data[0], text="Hello")

    def next(self, ctx, prepared, result, state):
        state["told"] = [ctx.outcome, result]
        return state
"""

TIDY = """
import dayhand
flow = dayhand.Workflow("W", connections=["imap:home"])
t = flow.topic("t")

@flow.consumer(subscribe=[t])
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=1)
        if not batch:
            return dayhand.nothing()
        [mail] = ctx.call("imap:home", "search", subject=batch[0].id, limit=1)
        return dayhand.prepared(reserve=batch, data=mail, say="Move " + mail["subject"])

    def mutate(self, ctx, prepared):
        mail = prepared.data
        known = {"uid": mail["uid"], "uidvalidity": mail["uidvalidity"], "message_id": mail["message_id"]}
        ctx.call("imap:home", "move", to="Sent", **known)

    def next(self, ctx, prepared, result, state):
        state["told"] = [ctx.outcome, result]
        return state
"""


def poll(*, name: str = "W", limit: int = 500, between: str = "pass") -> str:
    return POLL.format(name=name, limit=limit, between=between)


def connect_smtp(office: MailRuntime, box: SmtpServer, dovecot: Dovecot | None = None, user: str = "") -> None:
    settings = box.settings()
    if dovecot is not None:
        settings |= {"imap_host": "127.0.0.1", "imap_port": dovecot.port, "imap_security": "none"}
        settings |= {"imap_user": user, "imap_password": dovecot.settings(user)["password"]}
    office.services.connect("smtp:home", settings, test=True)


def request_mail(office: MailRuntime, subject: str = "a") -> str:
    """Request a mail with that subject; returns the run that sends it."""
    office.deploy(SEND)
    office.tick()
    office.publish(subject)
    office.tick()
    return office.runs("C")[-1].id


def subjects(box: SmtpServer) -> list[str]:
    return [str(taken.read()["Subject"]) for taken in box.taken]
