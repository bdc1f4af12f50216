"""Connecting: secrets go to a real keyring and nowhere else; a refused connect changes nothing."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import Call, Connector, Field, ToolFailedError
from scheduler.connections.errors import BadSettingsError, SecretMissingError, VaultLockedError, VaultUnavailableError
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.clock import SystemClock
from scheduler.engine.errors import RefusedError
from scheduler.store import connections
from tests.connections import password_server as door
from tests.connections.password_server import PasswordServer, password_registry
from tests.connections.secret_service import SecretService
from tests.connections.waiting import collecting_garbage
from tests.runs.runtime_fixture import RuntimeFixture

password_server = door.password_server


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[RuntimeFixture]:
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = password_registry  # type: ignore[method-assign]
    runtime.secrets = SecretStore(runtime.clock.now)
    runtime.crash()
    yield runtime
    runtime.close()


def settings_of(runtime: RuntimeFixture, name: str) -> dict[str, Any] | None:
    row = connections.find(runtime.database.read(), name)
    return None if row is None else row.settings


def read_keyring(name: str) -> dict[str, Any] | None:
    """What the keyring holds, as a restarted app reads it."""
    try:
        return Vault().get(name)
    except SecretMissingError:
        return None


def test_secrets_go_to_the_keyring_and_the_rest_to_the_store(
    runtime: RuntimeFixture, password_server: PasswordServer, keyring: SecretService
) -> None:
    answer = runtime.services.connect("door:home", {"url": password_server.url, "password": "hunter2"}, test=True)
    assert answer["sentence"] == "door:home is connected."
    assert password_server.let_in == ["/test"]
    assert settings_of(runtime, "door:home") == {"url": password_server.url, "badge": None}
    assert read_keyring("door:home") == {"password": "hunter2"}
    stored = b"".join(file.read_bytes() for file in runtime.folder.rglob("*") if file.is_file())
    assert b"hunter2" not in stored
    assert b"door:home" in stored


def test_failed_settings_are_not_stored_and_the_secret_is_not_quoted(
    runtime: RuntimeFixture, password_server: PasswordServer, keyring: SecretService
) -> None:
    with pytest.raises(ToolFailedError) as failed:
        runtime.services.connect("door:home", {"url": password_server.url, "password": "wrong"}, test=True)
    assert str(failed.value) == "The doorman did not let door:home in with •••."
    assert (settings_of(runtime, "door:home"), read_keyring("door:home")) == (None, None)
    runtime.services.connect("door:home", {"url": password_server.url, "password": "wrong"}, test=False)
    assert read_keyring("door:home") == {"password": "wrong"}
    assert len(password_server.seen) == 1, "tested although test=False"


def test_an_error_during_the_test_quotes_no_secret(tmp_path: Path, keyring: SecretService) -> None:
    def fail(call: Call) -> str:
        raise RuntimeError(f"https://me:{call.settings['password']}@x")

    fields = (Field(name="password", label="Password", secret=True),)
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = lambda: Registry(  # type: ignore[method-assign]
        [Connector(kind="odd", title="Odd", help="", fields=fields, tools=(), test=fail)]
    )
    runtime.crash()
    with pytest.raises(ToolFailedError) as failed:
        runtime.services.connection_setup.test("odd:x", {"password": "hunter2"})
    assert "https://me:•••@x" in str(failed.value)
    assert failed.value.__cause__ is None and failed.value.__suppress_context__
    runtime.close()


def test_connecting_again_keeps_the_secrets_that_are_not_given(
    runtime: RuntimeFixture, password_server: PasswordServer, keyring: SecretService
) -> None:
    runtime.services.connect("door:home", {"url": "http://127.0.0.1:1", "password": "hunter2", "badge": "7"})
    runtime.services.connect("door:home", {"url": password_server.url, "password": ""}, test=True)
    assert settings_of(runtime, "door:home") == {"url": password_server.url}
    assert read_keyring("door:home") == {"password": "hunter2", "badge": "7"}
    assert runtime.services.connection_setup.test("door:home") == "The doorman knows you."


def test_a_required_secret_that_was_never_given_is_requested(runtime: RuntimeFixture, keyring: SecretService) -> None:
    with pytest.raises(BadSettingsError, match="Password"):
        runtime.services.connect("door:home", {"url": "http://x"})


def test_without_secrets_no_keyring_is_needed(runtime: RuntimeFixture, service: SecretService) -> None:
    """There is none here, and that is not reported."""
    runtime.services.connect("plain:x", {"path": "/a"})
    assert settings_of(runtime, "plain:x") == {"path": "/a", "token": None}
    assert runtime.services.connection_setup.test("plain:x") == "Fine."
    runtime.services.connection_setup.disconnect(
        "plain:x", lambda: runtime.services.grant_commands.remove_connection("plain:x")
    )
    assert settings_of(runtime, "plain:x") is None


def test_without_a_keyring_nothing_is_stored(runtime: RuntimeFixture, service: SecretService) -> None:
    """No partial connection, and nothing in plain text."""
    with collecting_garbage(), pytest.raises(ToolFailedError) as failed:
        runtime.services.connect("plain:x", {"path": "/a", "token": "hunter2"})
    assert str(failed.value) == VaultUnavailableError().sentence
    assert settings_of(runtime, "plain:x") is None


def test_old_secrets_are_restored_if_the_rest_cannot_be_stored(runtime: RuntimeFixture, keyring: SecretService) -> None:
    def refuse(_: dict[str, Any]) -> dict[str, Any]:
        raise RefusedError("store", "The disk is full.")

    connect = runtime.services.connection_setup.connect
    with pytest.raises(RefusedError):
        connect("door:home", {"url": "http://x", "password": "new"}, refuse, test=False)
    assert read_keyring("door:home") is None
    runtime.services.connect("door:home", {"url": "http://x", "password": "old"})
    with pytest.raises(RefusedError):
        connect("door:home", {"url": "http://y", "password": "new"}, refuse, test=False)
    assert (settings_of(runtime, "door:home"), read_keyring("door:home")) == (
        {"url": "http://x", "badge": None},
        {"password": "old"},
    )
    row = connections.find(runtime.database.read(), "door:home")
    assert row is not None and row.trouble is None


def test_new_secrets_are_never_used_with_old_settings(runtime: RuntimeFixture, keyring: SecretService) -> None:
    """New secrets with the old address would be sent to the wrong server."""
    runtime.services.connect("door:home", {"url": "http://x", "password": "old"})
    seen: list[str | None] = []

    def read_status_and_save(plain: dict[str, Any]) -> dict[str, Any]:
        row = connections.find(runtime.database.read(), "door:home")
        seen.append(None if row is None else row.trouble)
        return runtime.services.grant_commands.save_connection("door:home", plain)

    connect = runtime.services.connection_setup.connect
    connect("door:home", {"url": "http://y", "password": "new"}, read_status_and_save, test=False)
    connect("door:home", {"url": "http://y", "password": "newer"}, read_status_and_save, test=False)
    connect("door:home", {"url": "http://z"}, read_status_and_save, test=False)
    assert seen == ["Connecting door:home was interrupted. Connect it again.", None, None]
    row = connections.find(runtime.database.read(), "door:home")
    assert row is not None and row.trouble is None and read_keyring("door:home") == {"password": "newer"}


def test_repeating_a_connect_with_the_same_key_changes_nothing(runtime: RuntimeFixture, keyring: SecretService) -> None:
    first = runtime.services.connect("door:home", {"url": "http://x", "password": "old"}, idempotency_key="r1")
    runtime.services.connect("door:home", {"url": "http://x", "password": "new"})
    assert runtime.services.connect("door:home", {"url": "http://x", "password": "old"}, idempotency_key="r1") == first
    assert read_keyring("door:home") == {"password": "new"}


def test_disconnecting_leaves_nothing_in_the_keyring(runtime: RuntimeFixture, keyring: SecretService) -> None:
    runtime.services.connect("door:home", {"url": "http://x", "password": "hunter2"})
    runtime.services.connection_setup.disconnect(
        "door:home", lambda: runtime.services.grant_commands.remove_connection("door:home")
    )
    assert (settings_of(runtime, "door:home"), read_keyring("door:home")) == (None, None)


def test_a_keyring_entry_left_by_a_crash_is_removed(runtime: RuntimeFixture, keyring: SecretService) -> None:
    """A crash between keyring and store leaves an entry without a connection."""
    SecretStore(SystemClock().now).keep("door:home", {"password": "hunter2"})
    with pytest.raises(RefusedError, match="no connection door:home"):
        runtime.services.connection_setup.disconnect(
            "door:home", lambda: runtime.services.grant_commands.remove_connection("door:home")
        )
    assert read_keyring("door:home") is None


def test_while_the_keyring_is_locked_nothing_is_disconnected(runtime: RuntimeFixture, service: SecretService) -> None:
    with service.keyring("pw"):
        runtime.services.connect("door:home", {"url": "http://x", "password": "hunter2"})
    runtime.crash()
    with service.keyring(None), collecting_garbage(), pytest.raises(ToolFailedError) as failed:
        runtime.services.connection_setup.disconnect(
            "door:home", lambda: runtime.services.grant_commands.remove_connection("door:home")
        )
    assert str(failed.value) == VaultLockedError().sentence
    assert settings_of(runtime, "door:home") is not None
