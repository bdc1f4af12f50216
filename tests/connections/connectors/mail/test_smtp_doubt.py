"""Whether an unsure mail was sent: yes if it is found, no only if its absence proves it, otherwise unsure.

With real SMTP and IMAP servers.
"""

import itertools
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.rules.failures import FailureClass
from tests.connections import imap_fixtures, smtp_server
from tests.connections.dovecot import Dovecot
from tests.connections.imap_fixtures import PASSWORD
from tests.connections.mail_runtime import MailRuntime, connect_smtp, request_mail, subjects
from tests.connections.smtp_server import SmtpServer, running_smtp_server
from tests.connections.tool_calls import call, tool_of
from tests.engine.engine_fixture import DAY, HOUR

dovecot, user = imap_fixtures.dovecot, imap_fixtures.user
box = smtp_server.box
NUMBER = itertools.count(1)
SEND = tool_of(smtp, "send")
RECEIVED = b"Received: from [127.0.0.1] by mail.example.org with ESMTPSA; Mon, 4 May 2026 09:00:00 +0000\r\n"


class Account:
    """A user who sends from me@example.org, with unique keys."""

    def __init__(self, box: SmtpServer, dovecot: Dovecot, user: str) -> None:
        self.box, self.dovecot, self.user = box, dovecot, user
        sent = {"imap_host": "127.0.0.1", "imap_port": dovecot.port, "imap_security": "none"}
        self.settings = box.settings(**sent, imap_user=user, imap_password=PASSWORD)

    def server_files(self, content: bytes, folder: str = "Sent") -> None:
        """File a mail as a server does that saves accepted mail in the sent folder."""
        self.dovecot.deliver(self.user, RECEIVED + content, f"{next(NUMBER):09}", folder)

    def send(self, key: str, to: str = "anna@example.org") -> Any:
        return SEND.run(call(self.settings, f"{self.user} {key}", to=to, subject=key, text="Hello"))

    def lose(self, key: str, to: str = "anna@example.org") -> None:
        """Send a mail, but the server hangs up instead of replying."""
        self.box.hangs_up = self.box.hangs_up or "instead"
        with pytest.raises(ToolFailedError) as failed:
            self.send(key, to)
        assert failed.value.failure.kind is FailureClass.UNSURE
        self.box.hangs_up = ""

    def check(self, key: str, to: str = "anna@example.org") -> Checked | FailureClass:
        assert SEND.check is not None
        try:
            return SEND.check(call(self.settings, f"{self.user} {key}", to=to, subject=key, text="Hello"))
        except ToolFailedError as error:
            return error.failure.kind


@pytest.fixture
def account(box: SmtpServer, dovecot: Dovecot, user: str) -> Account:
    return Account(box, dovecot, user)


def test_a_missing_mail_was_not_accepted_by_a_server_that_files_sent_mail(account: Account) -> None:
    """So far; the engine waits as long as the server may take."""
    account.box.keeps = account.server_files
    account.send("before")
    account.lose("lost")
    assert account.check("lost") == Checked(happened=False)
    assert account.check("before").happened is True  # type: ignore[union-attr]


def test_a_mail_that_is_filed_late_is_found(account: Account) -> None:
    account.box.keeps = account.server_files
    account.send("before")
    account.box.keeps, account.box.hangs_up = lambda _: None, "after"
    account.lose("lost")
    assert account.check("lost") == Checked(happened=False)
    account.server_files(account.box.taken[-1].content)
    result = account.check("lost")
    assert isinstance(result, Checked) and result.happened and result.result["in_sent"] is True


def test_our_own_copies_prove_nothing(account: Account) -> None:
    account.send("before")
    assert len(account.dovecot.messages(account.user, "Sent")) == 1
    account.lose("lost")
    assert account.check("lost") is FailureClass.TRANSIENT


@pytest.mark.parametrize(
    "change",
    [
        (b"Message-ID: <dayhand.", b"Message-ID: <somebody."),
        (b"me@example.org>\r\nTo", b"other@example.org>\r\nTo"),
        (b"To: anna@example.org", b"To: me@example.org"),
        (b"To: anna@example.org", b"To: anna@example.org\r\nCc: Me <ME@example.org>"),
    ],
)
def test_other_mail_in_the_sent_folder_proves_nothing(account: Account, change: tuple[bytes, bytes]) -> None:
    """From another sender, or one that may come from the inbox."""
    SEND.run(call(account.box.settings(), "before", to="anna@example.org", text="Hello"))
    content = account.box.taken[-1].content
    assert change[0] in content, content
    account.server_files(content.replace(*change))
    account.lose("lost")
    assert account.check("lost") is FailureClass.TRANSIENT
    account.server_files(content)
    assert account.check("lost") == Checked(happened=False), "only the change made the difference"


def test_a_mail_to_oneself_that_arrived_was_sent(account: Account) -> None:
    account.box.keeps = lambda content: account.server_files(content, "")
    account.box.hangs_up = "after"
    account.lose("lost", to="me@example.org")
    result = account.check("lost", to="me@example.org")
    assert isinstance(result, Checked) and result.happened and result.result["in_sent"] is False


def test_a_mail_to_oneself_that_has_not_arrived_is_unclear(account: Account) -> None:
    account.lose("lost", to="me@example.org")
    assert account.check("lost", to="me@example.org") is FailureClass.TRANSIENT


def test_a_mail_that_was_not_accepted_is_sent_by_a_new_run(tmp_path: Path, dovecot: Dovecot, user: str) -> None:
    """The checker says no, the user is not asked, and the mail is sent once."""
    with running_smtp_server(password="smtp") as box:
        office = MailRuntime(tmp_path / "data")
        connect_smtp(office, box, dovecot, user)
        box.keeps = lambda content: dovecot.deliver(user, RECEIVED + content, str(len(box.taken)), "Sent")
        request_mail(office, "first")
        box.hangs_up = "instead"
        office.publish("second")
        office.tick()
        assert office.events() == {"first": "consumed", "second": "reserved"}
        box.hangs_up = ""
        office.pass_time(HOUR)
        assert office.events() == {"first": "consumed", "second": "consumed"}
        office.pass_time(DAY)
        assert subjects(box) == ["first", "second"]
        assert office.requests() == []
        office.close()
