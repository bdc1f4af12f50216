"""Whether a mail in doubt was sent: yes if it is found, no only where its absence proves it, else nobody can tell.

With a real SMTP server and the sent mail at a real IMAP server.
"""

import itertools
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Checked, ToolFailedError
from scheduler.connections.connectors.mail.smtp import smtp
from scheduler.rules.failures import FailureClass
from tests.connections import mailbox, postbox
from tests.connections.calls import call, tool_of
from tests.connections.dovecot import Dovecot
from tests.connections.mailbox import PASSWORD
from tests.connections.post_office import PostOffice, connect_smtp, subjects, write
from tests.connections.postbox import Postbox, running_postbox
from tests.engine.harness import DAY, HOUR

dovecot, user = mailbox.dovecot, mailbox.user
box = postbox.box
NUMBER = itertools.count(1)
SEND = tool_of(smtp, "send")
RECEIVED = b"Received: from [127.0.0.1] by mail.example.org with ESMTPSA; Mon, 4 May 2026 09:00:00 +0000\r\n"


class Account:
    """Somebody who writes from me@example.org; each has keys of their own, as everything outside a test has."""

    def __init__(self, box: Postbox, dovecot: Dovecot, user: str) -> None:
        self.box, self.dovecot, self.user = box, dovecot, user
        sent = {"imap_host": "127.0.0.1", "imap_port": dovecot.port, "imap_security": "none"}
        self.settings = box.settings(**sent, imap_user=user, imap_password=PASSWORD)

    def server_files(self, content: bytes, folder: str = "Sent") -> None:
        """As a server does that puts what it takes with the sent mail."""
        self.dovecot.deliver(self.user, RECEIVED + content, f"{next(NUMBER):09}", folder)

    def send(self, key: str, to: str = "anna@example.org") -> Any:
        return SEND.run(call(self.settings, f"{self.user} {key}", to=to, subject=key, text="Hello"))

    def lose(self, key: str, to: str = "anna@example.org") -> None:
        """The server hangs up in place of an answer."""
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
def account(box: Postbox, dovecot: Dovecot, user: str) -> Account:
    return Account(box, dovecot, user)


def test_a_server_that_files_what_it_takes_has_not_taken_what_is_not_there(account: Account) -> None:
    """So far, that is: how long it may take is for the engine to wait."""
    account.box.keeps = account.server_files
    account.send("before")
    account.lose("lost")
    assert account.check("lost") == Checked(happened=False)
    assert account.check("before").happened is True  # type: ignore[union-attr]


def test_one_that_is_filed_late_is_found(account: Account) -> None:
    account.box.keeps = account.server_files
    account.send("before")
    account.box.keeps, account.box.hangs_up = lambda _: None, "after"
    account.lose("lost")
    assert account.check("lost") == Checked(happened=False)
    account.server_files(account.box.taken[-1].content)
    found = account.check("lost")
    assert isinstance(found, Checked) and found.happened and found.result["in_sent"] is True


def test_copies_that_we_put_there_prove_nothing(account: Account) -> None:
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
def test_other_mail_in_the_folder_proves_nothing(account: Account, change: tuple[bytes, bytes]) -> None:
    """Somebody else's, or one that may have come from the inbox."""
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
    found = account.check("lost", to="me@example.org")
    assert isinstance(found, Checked) and found.happened and found.result["in_sent"] is False


def test_a_mail_to_oneself_that_has_not_arrived_may_be_on_its_way(account: Account) -> None:
    account.lose("lost", to="me@example.org")
    assert account.check("lost", to="me@example.org") is FailureClass.TRANSIENT


def test_a_mail_that_was_not_taken_is_sent_by_a_fresh_run(tmp_path: Path, dovecot: Dovecot, user: str) -> None:
    """X3: the checker says no, nobody is asked, and it goes out once."""
    with running_postbox(password="smtp") as box:
        office = PostOffice(tmp_path / "data")
        connect_smtp(office, box, dovecot, user)
        box.keeps = lambda content: dovecot.deliver(user, RECEIVED + content, str(len(box.taken)), "Sent")
        write(office, "first")
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
