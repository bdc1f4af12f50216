"""The app and `dayhand try` share an account with single-use refresh tokens: neither loses it."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from scheduler.connections.secrets import SecretStore
from tests.connections.oauth.test_token_refresh import Service, secrets_of
from tests.connections.secret_service import SecretService
from tests.connections.waiting import wait_until
from tests.connections.web_servers import http_server

ROOT = Path(__file__).parents[3]
NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)
PROCESS = """
import json, sys
from datetime import datetime
from scheduler.connections.connector import ToolFailedError
from scheduler.connections.secrets import SecretStore
clock = [None]
keeper = SecretStore(lambda: clock[0])
for line in sys.stdin:
    command, at, *token = line.split()
    clock[0] = datetime.fromisoformat(at)
    try:
        secrets = keeper.read("google:me")
        if command == "refused":
            secrets = keeper.renew("google:me", {**secrets, "access_token": token[0]}) or {}
        print(json.dumps(secrets.get("access_token")), flush=True)
    except ToolFailedError as error:
        print(json.dumps({"error": error.failure.sentence}), flush=True)
"""


class Process:
    """A process with its own keeper, like the app and a dry run."""

    def __init__(self, started: "subprocess.Popen[str]") -> None:
        self._started = started

    def ask(self, command: str, at: datetime, *more: str) -> None:
        assert self._started.stdin is not None
        self._started.stdin.write(" ".join((command, at.isoformat(), *more)) + "\n")
        self._started.stdin.flush()

    def hear(self) -> object:
        assert self._started.stdout is not None
        return json.loads(self._started.stdout.readline())

    def read(self, at: datetime) -> object:
        self.ask("read", at)
        return self.hear()


@contextmanager
def process() -> Iterator[Process]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", PROCESS], cwd=ROOT, text=True, **pipes) as started:  # type: ignore[call-overload]
        yield Process(started)
        started.stdin.close()


@pytest.fixture
def account(keyring: SecretService) -> Iterator[Service]:
    """Connected, with a login valid for ten minutes."""
    made = Service()
    with http_server(made.answer) as made.web:
        SecretStore(lambda: NOW).keep("google:me", secrets_of(made, timedelta(minutes=10)))
        yield made


def test_one_process_uses_what_the_other_refreshed(account: Service) -> None:
    with process() as app, process() as trial:
        assert app.read(NOW) == "a0", "from now on it knows the old refresh token"
        assert trial.read(NOW + timedelta(minutes=8)) == "a1"
        assert app.read(NOW + timedelta(minutes=9)) == "a1", "the old refresh token is worth nothing any more"
        assert app.read(NOW + timedelta(minutes=70)) == "a2"
        assert trial.read(NOW + timedelta(minutes=71)) == "a2"
    assert len(account.web.requests) == 2


def test_of_two_simultaneous_refreshes_only_one_asks_the_service(account: Service) -> None:
    with process() as app, process() as trial:
        assert (app.read(NOW), trial.read(NOW)) == ("a0", "a0")
        account.gate.clear()
        for one in (app, trial):
            one.ask("read", NOW + timedelta(minutes=9))
        wait_until(lambda: bool(account.web.requests))
        account.gate.set()
        assert [one.hear() for one in (app, trial)] == ["a1", "a1"]
    assert len(account.web.requests) == 1


def test_a_login_rejected_after_the_other_process_refreshed_is_replaced_by_the_new_one(account: Service) -> None:
    with process() as app, process() as trial:
        assert app.read(NOW) == "a0"
        assert trial.read(NOW + timedelta(minutes=8)) == "a1"
        app.ask("refused", NOW + timedelta(minutes=2), "a0")
        assert app.hear() == "a1"
    assert len(account.web.requests) == 1
