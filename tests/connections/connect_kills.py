"""Connect, reconnect and disconnect in processes killed one step later each time, and check what is left.

There is a step before and after each keyring call and each transaction. The keyring is the one on the bus.

python -m tests.connections.connect_kills FOLDER connect|reconnect|move|disconnect|secret
"""

import itertools
import os
import signal
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from keyring.backends.SecretService import Keyring

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import SecretMissingError
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.clock import SystemClock
from scheduler.engine.errors import RefusedError
from scheduler.store import connections
from scheduler.store.database import Database
from tests.connections.password_server import password_registry
from tests.runs.runtime_fixture import RuntimeFixture

NAME = "plain:x"
OLD, NEW = {"path": "/old", "token": "old secret"}, {"path": "/new", "token": "new secret"}


class Doors(RuntimeFixture):
    """A runtime whose secrets are in the keyring."""

    def open(self) -> None:
        self.service.registry = password_registry  # type: ignore[method-assign]
        self.secrets = SecretStore(SystemClock().now)
        super().open()


def connect(runtime: RuntimeFixture, **given: Any) -> None:
    runtime.services.connect(NAME, given)


def disconnect(runtime: RuntimeFixture) -> None:
    runtime.services.connection_setup.disconnect(NAME, lambda: runtime.services.grant_commands.remove_connection(NAME))


def saved_secrets() -> dict[str, Any] | None:
    try:
        return Vault().get(NAME)
    except SecretMissingError:
        return None


def row_of(runtime: RuntimeFixture) -> connections.ConnectionRow | None:
    return connections.find(runtime.database.read(), NAME)


def used_settings(runtime: RuntimeFixture) -> tuple[str, str | None] | None:
    """What a run would use: path and token, or None if it would wait for the user."""
    row = row_of(runtime)
    if row is None or row.trouble is not None:
        return None
    if "token" in row.settings:
        return row.settings["path"], None
    try:
        return row.settings["path"], runtime.services.runner.tools._secrets.read(NAME)["token"]
    except ToolFailedError:
        return None


def kill_at(step: int) -> None:
    left = itertools.count(step, -1)

    def die() -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def with_steps(real: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*given: Any) -> Any:
            die()
            answer = real(*given)
            die()
            return answer

        return stepped

    for name in ("get_password", "set_password", "delete_password"):
        setattr(Keyring, name, with_steps(getattr(Keyring, name)))
    write = Database.write

    @contextmanager
    def write_or_die(database: Database, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        with write(database, durable=durable) as db:
            yield db
            die()
        die()

    Database.write = write_or_die  # type: ignore[method-assign]


def run_in_child(act: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        finally:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


PAIR_OLD, PAIR_NEW = ("/old", "old secret"), ("/new", "new secret")
SCENARIOS: dict[str, tuple[dict[str, Any] | None, Callable[[RuntimeFixture], None], set[Any]]] = {
    "connect": (None, lambda runtime: connect(runtime, **NEW), {None, PAIR_NEW}),
    "reconnect": (
        OLD,
        lambda runtime: connect(runtime, path="/old", token="new secret"),
        {PAIR_OLD, ("/old", "new secret")},
    ),
    "move": (OLD, lambda runtime: connect(runtime, **NEW), {None, PAIR_OLD, PAIR_NEW}),
    "disconnect": (OLD, disconnect, {None, PAIR_OLD}),
    "secret": ({"path": "/old"}, lambda runtime: connect(runtime, **NEW), {None, ("/old", None), PAIR_NEW}),
}


def check_leftovers(folder: Path, allowed: set[Any], step: int) -> None:
    """Path and token match, and whatever the user does next leaves nothing behind."""
    runtime = Doors(folder)
    assert used_settings(runtime) in allowed, used_settings(runtime)
    (_connect_again, _connect_without, _disconnect_if_connected)[step % 3](runtime)
    assert (saved_secrets(), row_of(runtime)) == (None, None)
    runtime.close()


def _connect_again(runtime: RuntimeFixture) -> None:
    connect(runtime, path="/last", token="last secret")
    assert used_settings(runtime) == ("/last", "last secret")
    disconnect(runtime)


def _connect_without(runtime: RuntimeFixture) -> None:
    """Connect without a secret: an orphaned keyring entry is deleted."""
    row = row_of(runtime)
    is_known = row is not None and "token" not in row.settings
    connect(runtime, path="/last")
    assert is_known or saved_secrets() is None
    disconnect(runtime)


def _disconnect_if_connected(runtime: RuntimeFixture) -> None:
    """Disconnect, whether connected or not."""
    with suppress(RefusedError):
        disconnect(runtime)


def kill_at_each_step(folder: Path, name: str) -> None:
    before, act, allowed = SCENARIOS[name]

    def die(place: Path, step: int) -> None:
        runtime = Doors(place)
        if before is not None:
            connect(runtime, **before)
        kill_at(step)
        act(runtime)

    for step in itertools.count():
        place = folder / str(step)
        place.mkdir()
        code = run_in_child(partial(die, place, step))
        assert code in (0, -signal.SIGKILL)
        assert run_in_child(partial(check_leftovers, place, allowed, step)) == 0
        if code == 0:
            assert step > 2, "it was never killed"
            return


if __name__ == "__main__":
    kill_at_each_step(Path(sys.argv[1]), sys.argv[2])
