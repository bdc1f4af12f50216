"""Connects, reconnects and disconnects in processes that die one step later each time, and looks at what is left.

A step is before and after each word with the keyring and each transaction. The keyring is the one on the bus.

python -m tests.connections.dying FOLDER connect|reconnect|move|disconnect|secret
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
from scheduler.connections.keeper import Keeper
from scheduler.connections.vault import Vault
from scheduler.connections.vault_errors import NotInVaultError
from scheduler.engine.clock import SystemClock
from scheduler.engine.refusal import RefusedError
from scheduler.store import connections
from scheduler.store.database import Database
from tests.connections.doorman import doors
from tests.runs.shop import Shop

NAME = "plain:x"
OLD, NEW = {"path": "/old", "token": "old secret"}, {"path": "/new", "token": "new secret"}


class Doors(Shop):
    """Whose secrets are in the keyring."""

    def open(self) -> None:
        self.world.registry = doors  # type: ignore[method-assign]
        self.secrets = Keeper(SystemClock().now)
        super().open()


def connect(shop: Shop, **given: Any) -> None:
    shop.house.connect(NAME, given)


def disconnect(shop: Shop) -> None:
    shop.house.connecting.disconnect(NAME, lambda: shop.house.allowing.disconnected(NAME))


def kept() -> dict[str, Any] | None:
    try:
        return Vault().get(NAME)
    except NotInVaultError:
        return None


def row_of(shop: Shop) -> connections.ConnectionRow | None:
    return connections.find(shop.database.read(), NAME)


def used(shop: Shop) -> tuple[str, str | None] | None:
    """What a run would use: path and token together, or None if it would wait for the person."""
    row = row_of(shop)
    if row is None or row.trouble is not None:
        return None
    if "token" in row.settings:
        return row.settings["path"], None
    try:
        return row.settings["path"], shop.house.layer.tools._secrets.read(NAME)["token"]
    except ToolFailedError:
        return None


def kill_at(step: int) -> None:
    left = itertools.count(step, -1)

    def die() -> None:
        if next(left) == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def around(real: Callable[..., Any]) -> Callable[..., Any]:
        def stepped(*given: Any) -> Any:
            die()
            answer = real(*given)
            die()
            return answer

        return stepped

    for name in ("get_password", "set_password", "delete_password"):
        setattr(Keyring, name, around(getattr(Keyring, name)))
    write = Database.write

    @contextmanager
    def write_or_die(database: Database, *, durable: bool = False) -> Iterator[sqlite3.Connection]:
        with write(database, durable=durable) as db:
            yield db
            die()
        die()

    Database.write = write_or_die  # type: ignore[method-assign]


def in_a_child(act: Callable[[], None]) -> int:
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
STORIES: dict[str, tuple[dict[str, Any] | None, Callable[[Shop], None], set[Any]]] = {
    "connect": (None, lambda shop: connect(shop, **NEW), {None, PAIR_NEW}),
    "reconnect": (OLD, lambda shop: connect(shop, path="/old", token="new secret"), {PAIR_OLD, ("/old", "new secret")}),
    "move": (OLD, lambda shop: connect(shop, **NEW), {None, PAIR_OLD, PAIR_NEW}),
    "disconnect": (OLD, disconnect, {None, PAIR_OLD}),
    "secret": ({"path": "/old"}, lambda shop: connect(shop, **NEW), {None, ("/old", None), PAIR_NEW}),
}


def look(folder: Path, allowed: set[Any], step: int) -> None:
    """What a run would use belongs together, and whatever the person does next leaves nothing behind."""
    shop = Doors(folder)
    assert used(shop) in allowed, used(shop)
    (_connect_again, _connect_without, _give_up)[step % 3](shop)
    assert (kept(), row_of(shop)) == (None, None)
    shop.close()


def _connect_again(shop: Shop) -> None:
    connect(shop, path="/last", token="last secret")
    assert used(shop) == ("/last", "last secret")
    disconnect(shop)


def _connect_without(shop: Shop) -> None:
    """As somebody who never had a secret: what is left of one that nobody knows of is gone."""
    row = row_of(shop)
    is_known = row is not None and "token" not in row.settings
    connect(shop, path="/last")
    assert is_known or kept() is None
    disconnect(shop)


def _give_up(shop: Shop) -> None:
    """Disconnect what may not be there."""
    with suppress(RefusedError):
        disconnect(shop)


def tell(folder: Path, name: str) -> None:
    before, act, allowed = STORIES[name]

    def die(place: Path, step: int) -> None:
        shop = Doors(place)
        if before is not None:
            connect(shop, **before)
        kill_at(step)
        act(shop)

    for step in itertools.count():
        place = folder / str(step)
        place.mkdir()
        code = in_a_child(partial(die, place, step))
        assert code in (0, -signal.SIGKILL)
        assert in_a_child(partial(look, place, allowed, step)) == 0
        if code == 0:
            assert step > 2, "it never died"
            return


if __name__ == "__main__":
    tell(Path(sys.argv[1]), sys.argv[2])
