"""A whole app whose sample workflow asks for an approval, with a real ntfy server and a phone."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.background import close_background_tasks, run_command
from app.channels.service import ChannelService
from app.demo import prepare_demo
from app.session import Session
from scheduler.engine.queries.requests import RequestView
from scheduler.rules.channels import Presence
from scheduler.rules.one_time_codes import code_at, make_key, parse_key, step_at
from tests.app.app_fixture import Wait, table_lines
from tests.connections.ntfy_server import TOPIC, NtfyServer, Phone, ntfy_server
from tests.connections.secret_service import SecretService

CHANNEL = "ntfy:me"
_POLL_S = 0.02
ROWS = 3
"""What the sample workflow adds to its table."""


@pytest.fixture
def ntfy(tmp_path: Path) -> Iterator[NtfyServer]:
    folder = tmp_path / "ntfy"
    folder.mkdir()
    with ntfy_server(folder) as server:
        yield server


@dataclass(frozen=True)
class FixedPresence:
    presence: Presence

    def read(self) -> Presence:
        return self.presence

    def watch(self, *, on: bool) -> None:
        """Never changes."""


@dataclass
class Desk:
    """The computer with Dayhand, and the user's phone."""

    session: Session
    service: ChannelService
    wait: Wait
    server: NtfyServer
    key: str = ""

    @property
    def phone(self) -> Phone:
        return Phone(self.server.address)

    def command(self, verb: str, **arguments: Any) -> Any:
        return run_command(self.session, verb, **arguments)

    def connect(self, *, has_code: bool = True, test: bool = True, **secrets: Any) -> None:
        """As the user does, with their authenticator app."""
        if has_code:
            self.key = secrets["code_key"] = make_key(os.urandom(20))
        settings = {"server": self.server.address, "topic": TOPIC}
        self.command("connect", name=CHANNEL, settings=settings, secrets=secrets, test=test)

    def set_rules(self, name: str = CHANNEL, **rules: Any) -> None:
        self.command("channel_change", channel=name, changes=rules)

    def show_code(self, step: int = 0) -> str:
        """What the authenticator app shows now, or steps of 30 seconds later."""
        key = parse_key(self.key)
        assert key is not None
        return code_at(key, step_at(self.session.now()) + step)

    def restart_service(self) -> None:
        self.service = ChannelService(self.session)
        self.service.start()

    def request(self) -> RequestView:
        [one] = self.wait(self.session.queries.attention)
        return one

    def wait_for(self, is_wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        return self.phone.wait_for(is_wanted, _work)

    def question(self) -> dict[str, Any]:
        return self.wait_for(lambda one: "actions" in one)

    def wait_until_written(self) -> None:
        """The workflow has added its rows, once."""
        self.wait(lambda: len(table_lines(self.session)) > ROWS)
        assert len(table_lines(self.session)) == ROWS + 1

    def view(self) -> dict[str, Any]:
        [one] = self.command("channels")["channels"]
        return one


def _work() -> None:
    """Let the app work for a moment."""
    QCoreApplication.processEvents()
    time.sleep(_POLL_S)


@contextmanager
def open_desk(folder: Path, wait: Wait, server: NtfyServer, *, presence: Presence | None = None) -> Iterator[Desk]:
    folder.mkdir(exist_ok=True)
    session = Session(folder, is_started_by_script=False)
    prepare_demo(session, folder)
    service = ChannelService(session, FixedPresence(presence or Presence()))
    session.start()
    service.start()
    desk = Desk(session, service, wait, server)
    try:
        yield desk
    finally:
        desk.service.stop()
        close_background_tasks()
        session.stop()
        session.close()


@pytest.fixture
def desk(qtbot: QtBot, tmp_path: Path, wait: Wait, ntfy: NtfyServer, keyring: SecretService) -> Iterator[Desk]:
    folder = tmp_path / "data"
    folder.mkdir()
    with open_desk(folder, wait, ntfy) as made:
        yield made
