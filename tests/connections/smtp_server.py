"""A real local SMTP server that can refuse, stall or disconnect."""

import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

import pytest
import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.connections.dovecot import free_port


@dataclass(frozen=True)
class ReceivedMail:
    """A mail that the server has accepted."""

    sender: str
    recipients: list[str]
    content: bytes

    def read(self) -> EmailMessage:
        return message_from_bytes(self.content, policy=default)  # type: ignore[return-value]


@dataclass
class SmtpServer:
    port: int = field(default_factory=free_port)
    password: str | None = None
    """The accepted password, for any user; None if no login is needed."""
    taken: list[ReceivedMail] = field(default_factory=list)
    refuses: dict[str, str] = field(default_factory=dict)
    """Replies to a recipient, a sender or "DATA" instead of OK."""
    login_says: str | None = None
    """The reply to every login instead of checking the password."""
    hangs_up: str = ""
    """Disconnect "after" accepting a mail without confirming it, or "instead" of accepting one."""
    keeps: Callable[[bytes], None] = lambda _: None
    """Called with a copy of every accepted mail, as some servers save sent mail themselves."""

    def settings(self, **changed: Any) -> dict[str, Any]:
        settings = {"host": "127.0.0.1", "port": self.port, "security": "none", "from": "Dayhand <me@example.org>"}
        login = {} if self.password is None else {"user": "me", "password": self.password}
        return {**settings, **login, **changed}

    def log_in(self, server: SMTP, session: Session, envelope: Envelope, mechanism: str, given: Any) -> AuthResult:
        if self.login_says is not None:
            return AuthResult(success=False, handled=False, message=self.login_says)
        assert isinstance(given, LoginPassword)
        return AuthResult(success=given.password.decode() == self.password, handled=False)

    async def handle_MAIL(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any) -> str:  # noqa: N802
        if self.password is not None and not session.authenticated:
            return "530 5.7.0 Authentication required"
        if address in self.refuses:
            return self.refuses[address]
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(self, server: SMTP, session: Session, envelope: Envelope, address: str, options: Any) -> str:  # noqa: N802
        if address in self.refuses:
            return self.refuses[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        if "DATA" in self.refuses:
            return self.refuses["DATA"]
        if self.hangs_up != "instead":
            assert envelope.mail_from is not None and isinstance(envelope.content, bytes)
            self.taken.append(ReceivedMail(envelope.mail_from, list(envelope.rcpt_tos), envelope.content))
            self.keeps(envelope.content)
        if self.hangs_up:
            assert server.transport is not None
            server.transport.abort()  # type: ignore[attr-defined]
        return "250 OK"


@contextmanager
def running_smtp_server(
    *, password: str | None = None, authority: trustme.CA | None = None, security: str = "none"
) -> Iterator[SmtpServer]:
    box = SmtpServer(password=password)
    context = None
    if authority is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert("localhost").configure_cert(context)
    controller = Controller(
        box,
        hostname="127.0.0.1",
        port=box.port,
        server_hostname="localhost",
        ssl_context=context if security == "tls" else None,
        tls_context=context if security == "starttls" else None,
        require_starttls=security == "starttls",
        authenticator=box.log_in,
        auth_require_tls=False,
        enable_SMTPUTF8=True,
        ready_timeout=60,
    )
    controller.start()
    try:
        yield box
    finally:
        controller.stop()


@pytest.fixture
def box() -> Iterator[SmtpServer]:
    """Without a login."""
    with running_smtp_server() as one:
        yield one
