"""Logins are refreshed before they expire, once for all threads, and no new refresh token is lost."""

import json
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qs

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.errors import VaultLockedError
from scheduler.connections.oauth.errors import SignInDeniedError
from scheduler.connections.oauth.token_refresh import REFRESH_MARGIN, TokenRefresher, refresh_tokens
from scheduler.rules.failures import FailureClass
from tests.connections.waiting import wait_until
from tests.connections.web_servers import HttpServer, ReceivedRequest, Reply, http_server

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


class Service:
    """A token endpoint with numbered tokens; refresh tokens can be made single-use."""

    def __init__(self) -> None:
        self.web: HttpServer
        self.status = 200
        self.rotates = True
        self.refresh = "r0"
        self.gate = threading.Event()
        self.gate.set()

    def answer(self, request: ReceivedRequest) -> Reply:
        assert self.gate.wait(60)
        if self.status != 200:
            return Reply(status=self.status)
        form = parse_qs(request.body.decode())
        if form["refresh_token"] != [self.refresh] or form["client_id"] != ["me"]:
            return Reply(status=400, body=b'{"error": "invalid_grant"}')
        number = len(self.web.requests)
        given = {"access_token": f"a{number}", "expires_in": 3600}
        if self.rotates:
            self.refresh = f"r{number}"
            given["refresh_token"] = self.refresh
        return Reply(body=json.dumps(given).encode())


class Entry:
    """One vault entry."""

    def __init__(self, secrets: Mapping[str, Any]) -> None:
        self.kept = dict(secrets)
        self.locked = False

    def read(self) -> Mapping[str, Any]:
        return dict(self.kept)

    def keep(self, secrets: Mapping[str, Any]) -> None:
        if self.locked:
            raise ToolFailedError(VaultLockedError().failure)
        self.kept = dict(secrets)


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    with http_server(made.answer) as made.web:
        yield made


def secrets_of(service: Service, left: timedelta | None) -> dict[str, Any]:
    return {
        "access_token": "a0",
        "refresh_token": "r0",
        "expires_at": None if left is None else (NOW + left).isoformat(),
        "account": "anna@example.org",
        "token_url": service.web.url,
        "client_id": "me",
        "client_secret": "shh",
    }


def fresh(renewals: TokenRefresher, entry: Entry) -> Mapping[str, Any]:
    return renewals.refresh_if_expiring("google:me", entry.read(), entry.read, entry.keep)


@pytest.fixture
def renewals() -> TokenRefresher:
    return TokenRefresher(lambda: NOW)


@pytest.mark.parametrize("left", [None, REFRESH_MARGIN + timedelta(seconds=1), timedelta(days=1)])
def test_a_login_that_is_valid_for_a_while_is_not_refreshed(
    service: Service, renewals: TokenRefresher, left: timedelta | None
) -> None:
    entry = Entry(secrets_of(service, left))
    assert fresh(renewals, entry) == secrets_of(service, left)
    assert service.web.requests == []


@pytest.mark.parametrize("left", [REFRESH_MARGIN, timedelta(seconds=1), timedelta(0), timedelta(days=-400)])
def test_a_login_that_expires_soon_is_refreshed_and_saved_first(
    service: Service, renewals: TokenRefresher, left: timedelta
) -> None:
    entry = Entry(secrets_of(service, left))
    got = fresh(renewals, entry)
    assert got == {
        **secrets_of(service, left),
        "access_token": "a1",
        "refresh_token": "r1",
        "expires_at": (NOW + timedelta(hours=1)).isoformat(),
    }
    assert entry.kept == got
    assert parse_qs(service.web.requests[0].body.decode())["client_secret"] == ["shh"]
    assert fresh(renewals, entry) == got
    assert len(service.web.requests) == 1


def test_a_refresh_token_that_is_not_replaced_stays(service: Service, renewals: TokenRefresher) -> None:
    service.rotates = False
    entry = Entry(secrets_of(service, timedelta(0)))
    assert fresh(renewals, entry)["refresh_token"] == "r0"


def test_secrets_that_never_expire_are_not_refreshed(renewals: TokenRefresher) -> None:
    entry = Entry({"password": "x"})
    assert fresh(renewals, entry) == {"password": "x"}


def test_threads_share_one_refresh(service: Service, renewals: TokenRefresher) -> None:
    """Refresh tokens are single-use: a second request would invalidate the login."""
    service.gate.clear()
    entry = Entry(secrets_of(service, timedelta(0)))
    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(fresh, renewals, entry) for _ in range(8)]
        wait_until(lambda: len(service.web.requests) == 1)
        service.gate.set()
        assert {one.result(60)["access_token"] for one in asking} == {"a1"}
    assert len(service.web.requests) == 1


def test_threads_share_a_failed_refresh(service: Service, renewals: TokenRefresher) -> None:
    service.gate.clear()
    service.status = 400
    entry = Entry(secrets_of(service, timedelta(0)))
    started = threading.Barrier(4)

    def ask() -> FailureClass:
        started.wait(60)
        with pytest.raises(ToolFailedError) as failed:
            fresh(renewals, entry)
        return failed.value.failure.kind

    with ThreadPoolExecutor(4) as pool:
        asking = [pool.submit(ask) for _ in range(4)]
        wait_until(lambda: len(service.web.requests) == 1)
        service.gate.set()
        assert {one.result(60) for one in asking} == {FailureClass.AUTH}


def test_another_connection_does_not_wait(service: Service, renewals: TokenRefresher) -> None:
    service.gate.clear()
    entry, other = Entry(secrets_of(service, timedelta(0))), Entry(secrets_of(service, timedelta(hours=1)))
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(fresh, renewals, entry)
        wait_until(lambda: len(service.web.requests) == 1)
        assert (
            renewals.refresh_if_expiring("google:other", other.read(), other.read, other.keep)["access_token"] == "a0"
        )
        service.gate.set()
        asking.result(60)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_service_fails_only_once_the_login_has_expired(
    service: Service, renewals: TokenRefresher, status: int
) -> None:
    service.status = status
    almost = Entry(secrets_of(service, timedelta(seconds=30)))
    assert fresh(renewals, almost)["access_token"] == "a0"
    with pytest.raises(ToolFailedError) as failed:
        fresh(renewals, Entry(secrets_of(service, timedelta(0))))
    assert failed.value.failure.kind is FailureClass.TRANSIENT
    service.status = 200
    assert fresh(renewals, almost)["access_token"] == "a3"


def test_the_error_for_a_revoked_login_names_connection_and_account(service: Service, renewals: TokenRefresher) -> None:
    service.refresh = "none"
    entry = Entry(secrets_of(service, timedelta(seconds=30)))
    with pytest.raises(SignInDeniedError) as failed:
        fresh(renewals, entry)
    assert failed.value.failure.sentence == (
        "google:me can no longer use the account of anna@example.org. Connect again."
    )
    assert entry.kept == secrets_of(service, timedelta(seconds=30))


@pytest.mark.parametrize("missing", ["refresh_token", "token_url"])
def test_what_cannot_be_refreshed_asks_for_a_reconnect(service: Service, missing: str) -> None:
    secrets = {**secrets_of(service, timedelta(0)), missing: None}
    with pytest.raises(SignInDeniedError, match=r"google:me has expired\. Connect again"):
        refresh_tokens("google:me", secrets, now=NOW)


def test_a_locked_keyring_loses_no_new_refresh_token(service: Service, renewals: TokenRefresher) -> None:
    entry = Entry(secrets_of(service, timedelta(0)))
    entry.locked = True
    for _ in range(2):
        with pytest.raises(ToolFailedError) as failed:
            fresh(renewals, entry)
        assert failed.value.failure == VaultLockedError().failure
    entry.locked = False
    assert fresh(renewals, entry)["refresh_token"] == "r1"
    assert entry.kept["refresh_token"] == "r1"
    assert len(service.web.requests) == 1


def test_unsaved_secrets_do_not_undo_a_reconnect(service: Service, renewals: TokenRefresher) -> None:
    entry = Entry(secrets_of(service, timedelta(0)))
    entry.locked = True
    with pytest.raises(ToolFailedError):
        fresh(renewals, entry)
    entry.locked = False
    service.refresh = "after"
    entry.keep({**secrets_of(service, timedelta(0)), "refresh_token": "after"})
    assert fresh(renewals, entry)["refresh_token"] == "r2"


def replaced(
    renewals: TokenRefresher, entry: Entry, refused: Mapping[str, Any] | None = None
) -> Mapping[str, Any] | None:
    return renewals.replace_rejected("google:me", refused or entry.read(), entry.read, entry.keep)


@pytest.mark.parametrize("left", [None, timedelta(hours=1), timedelta(seconds=30)])
def test_a_login_rejected_before_it_expires_is_refreshed_and_saved_first(
    service: Service, renewals: TokenRefresher, left: timedelta | None
) -> None:
    entry = Entry(secrets_of(service, left))
    got = replaced(renewals, entry)
    assert got is not None and (got["access_token"], got["refresh_token"]) == ("a1", "r1")
    assert entry.kept == got


@pytest.mark.parametrize("missing", ["access_token", "refresh_token", "token_url"])
def test_a_login_that_cannot_be_refreshed_is_not_replaced(
    service: Service, renewals: TokenRefresher, missing: str
) -> None:
    entry = Entry({**secrets_of(service, None), missing: None})
    assert replaced(renewals, entry) is None
    assert service.web.requests == []


def test_a_replacement_is_replaced_again_only_after_a_while(service: Service) -> None:
    """A service that rejects its own new tokens is not asked in a loop; one that revokes twice a day is."""
    times = [NOW]
    renewals = TokenRefresher(lambda: times[0])
    entry = Entry(secrets_of(service, timedelta(hours=8)))
    assert replaced(renewals, entry) is not None
    assert replaced(renewals, entry) is None
    times[0] += REFRESH_MARGIN
    again = replaced(renewals, entry)
    assert again is not None and again["access_token"] == "a2"
    assert len(service.web.requests) == 2


def test_a_login_already_replaced_is_not_refreshed_again(service: Service, renewals: TokenRefresher) -> None:
    entry = Entry(secrets_of(service, timedelta(hours=1)))
    refused = entry.read()
    entry.keep({**refused, "access_token": "signed in again"})
    got = replaced(renewals, entry, refused)
    assert got is not None and got["access_token"] == "signed in again"
    assert service.web.requests == []


def test_threads_with_a_rejected_login_share_one_refresh(service: Service, renewals: TokenRefresher) -> None:
    service.gate.clear()
    entry = Entry(secrets_of(service, timedelta(hours=1)))
    refused = entry.read()
    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(replaced, renewals, entry, refused) for _ in range(8)]
        wait_until(lambda: len(service.web.requests) == 1)
        service.gate.set()
        assert {(one.result(60) or {})["access_token"] for one in asking} == {"a1"}
    assert len(service.web.requests) == 1


def test_a_rejected_login_is_refreshed_although_another_thread_kept_it(
    service: Service, renewals: TokenRefresher
) -> None:
    """Another thread's refresh fails and it continues with the login that was rejected here."""
    entry = Entry(secrets_of(service, timedelta(seconds=30)))
    refused = entry.read()
    theirs: Future[Mapping[str, Any]] = Future()
    renewals._running["google:me"] = theirs
    with ThreadPoolExecutor(1) as pool:
        asking = pool.submit(replaced, renewals, entry, refused)
        wait_until(lambda: bool(theirs._condition._waiters))  # type: ignore[attr-defined]
        del renewals._running["google:me"]
        theirs.set_result(refused)
        assert (asking.result(60) or {})["access_token"] == "a1"


def test_a_busy_service_makes_a_rejected_login_transient(service: Service, renewals: TokenRefresher) -> None:
    service.status = 503
    entry = Entry(secrets_of(service, timedelta(hours=1)))
    with pytest.raises(ToolFailedError) as failed:
        replaced(renewals, entry)
    assert failed.value.failure.kind is FailureClass.TRANSIENT
    service.status = 200
    assert (replaced(renewals, entry) or {})["access_token"] == "a2"


def test_a_rejected_refresh_token_asks_for_a_reconnect(service: Service, renewals: TokenRefresher) -> None:
    service.refresh = "none"
    entry = Entry(secrets_of(service, timedelta(hours=1)))
    with pytest.raises(SignInDeniedError, match=r"anna@example\.org\. Connect again"):
        replaced(renewals, entry)


def test_a_locked_keyring_does_not_lose_a_replacement(service: Service, renewals: TokenRefresher) -> None:
    entry = Entry(secrets_of(service, timedelta(hours=1)))
    entry.locked = True
    with pytest.raises(ToolFailedError):
        replaced(renewals, entry)
    entry.locked = False
    assert (replaced(renewals, entry) or {})["access_token"] == "a1"
    assert (entry.kept["refresh_token"], len(service.web.requests)) == ("r1", 1)
