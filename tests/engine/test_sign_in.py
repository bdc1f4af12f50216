"""Signing in with the browser: a real service, a real keyring, and reconnecting as the same account."""

import json
import ssl
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import trustme

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.google.connector import google
from scheduler.connections.connectors.http.connector import http
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.oauth.errors import SignInCancelledError, SignInDeniedError, WrongAccountError
from scheduler.connections.registry import Registry
from scheduler.connections.secrets import SecretStore
from scheduler.connections.vault import Vault
from scheduler.engine.clock import SystemClock
from scheduler.engine.errors import RefusedError
from scheduler.store import connections
from tests.connections import emulator_fixtures
from tests.connections.chromium import running_chromium
from tests.connections.emulator import ANNA, BERT
from tests.connections.emulator_proxy import EmulatorProxy, Rule
from tests.connections.oauth.sign_in_user import agree, authorize_parameters, sign_in_with_browser
from tests.connections.secret_service import SecretService
from tests.connections.web_servers import ReceivedRequest, Reply, http_server
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job

READS = job('found = ctx.call("google:me", "search_mail", query="subject:receipt")\nctx.done(str(len(found)))')


emulator, front = emulator_fixtures.emulator, emulator_fixtures.google_proxy


@pytest.fixture
def shop(tmp_path: Path, keyring: SecretService) -> Iterator[RuntimeFixture]:
    shop = RuntimeFixture(tmp_path)
    shop.service.registry = lambda: Registry([google, http, slack])  # type: ignore[method-assign]
    shop.secrets = SecretStore(shop.clock.now)
    shop.crash()
    yield shop
    shop.close()


def connect(shop: RuntimeFixture, front: EmulatorProxy, who: str, **given: str) -> dict[str, Any]:
    shop.services.connection_setup._open_browser = agree(front, who)
    known = {"client_id": "dayhand-desktop", "base_url": front.url}
    return shop.services.connect("google:me", {**known, **given}, test=True)


def settings_of(shop: RuntimeFixture) -> dict[str, Any]:
    row = connections.find(shop.database.read(), "google:me")
    assert row is not None
    return row.settings


def tokens_of(name: str) -> set[str]:
    kept = Vault().get(name)
    return {kept["access_token"], kept["refresh_token"]}


def test_tokens_go_to_the_keyring_and_the_account_to_the_store(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    connect(shop, front, ANNA, client_secret="app-secret")
    assert settings_of(shop) == {"client_id": "dayhand-desktop", "account": ANNA, "base_url": front.url}
    kept = Vault().get("google:me")
    assert kept["account"] == ANNA and kept["client_secret"] == "app-secret"
    assert kept["access_token"] and kept["refresh_token"]
    stored = b"".join(file.read_bytes() for file in shop.folder.rglob("*") if file.is_file())
    for name in ("access_token", "refresh_token", "client_secret"):
        assert kept[name].encode() not in stored
    assert shop.services.connection_setup.test("google:me") == f"Signed in as {ANNA}."
    shop.deploy(READS.replace("world:x", "google:me"))
    shop.clock.move(HOUR)
    shop.tick()
    assert shop.runs("j")[-1].summary == "3"


def test_an_app_without_a_client_secret_can_sign_in(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    connect(shop, front, ANNA)
    assert settings_of(shop)["client_secret"] is None
    assert shop.services.connection_setup.test("google:me") == f"Signed in as {ANNA}."


def test_only_the_same_account_may_sign_in_again(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    connect(shop, front, ANNA)
    before = Vault().get("google:me")
    with pytest.raises(WrongAccountError, match=f"{BERT}.*{ANNA}"):
        connect(shop, front, BERT)
    assert (settings_of(shop)["account"], Vault().get("google:me")) == (ANNA, before)


def test_a_revoked_sign_in_is_requested_again_without_a_new_client_secret(
    shop: RuntimeFixture, front: EmulatorProxy
) -> None:
    connect(shop, front, ANNA, client_secret="app-secret")
    kept = Vault().get("google:me")
    SecretStore(SystemClock().now).keep(
        "google:me", {**kept, "expires_at": "2020-01-01T00:00:00+00:00", "refresh_token": "taken back"}
    )
    shop.secrets = SecretStore(shop.clock.now)
    shop.crash()
    shop.deploy(READS.replace("world:x", "google:me"))
    shop.clock.move(HOUR)
    shop.tick()
    [request] = shop.requests()
    assert (request.kind, request.subject) == ("reconnect", "google:me")
    assert ANNA in request.sentence
    connect(shop, front, ANNA)
    shop.tick()
    assert (shop.requests(), shop.runs("j")[-1].summary) == ([], "3")
    assert Vault().get("google:me")["client_secret"] == "app-secret"


def test_a_sign_in_revoked_at_the_service_is_renewed_in_a_real_browser(
    shop: RuntimeFixture, front: EmulatorProxy, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two workflows wait for one account, and both continue once."""
    known = {"client_id": "dayhand-desktop", "base_url": front.url}
    shop.secrets = SecretStore(shop.clock.now)
    shop.crash()
    with running_chromium(tmp_path_factory.mktemp("browser")) as browser:
        shop.services.connection_setup._open_browser = sign_in_with_browser(browser, ANNA)
        shop.services.connect("google:me", known, test=True)
        front.revoked |= tokens_of("google:me")
        for name in ("a", "b"):
            shop.deploy(READS.replace("world:x", "google:me").replace('"W"', repr(name)), path=f"{name}.py")
            shop.commands.run(name)
        shop.tick()
        [request] = shop.requests()
        assert (request.kind, request.subject) == ("reconnect", "google:me")
        shop.services.connect("google:me", known, test=True)
        browser.wait_for_text(f"Dayhand now uses Google as {ANNA}")
    shop.tick()
    assert shop.requests() == []
    assert [[run.summary for run in shop.runs("j", name)] for name in "ab"] == [[None, "3"]] * 2


def test_a_cancelled_sign_in_ends_at_once(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    connecting = shop.services.connection_setup
    raised: list[Exception] = []
    opened = threading.Event()

    def try_it() -> None:
        try:
            shop.services.connect("google:me", {"client_id": "dayhand-desktop", "base_url": front.url})
        except ToolFailedError as error:
            raised.append(error)

    connecting._open_browser = lambda _: opened.set()
    waiting = threading.Thread(target=try_it)
    waiting.start()
    assert opened.wait(60)
    with pytest.raises(RefusedError, match="sign-in to google:me is already open"):
        connecting.connect("google:me", {"client_id": "x", "base_url": front.url}, lambda _: {})
    connecting.cancel_sign_in("google:other")
    assert waiting.is_alive()
    connecting.cancel_sign_in("google:me")
    waiting.join(60)
    assert [type(error) for error in raised] == [SignInCancelledError]
    connecting.cancel_sign_in()
    with pytest.raises(SignInCancelledError):
        connecting.connect("google:me", {"client_id": "x", "base_url": front.url}, lambda _: {})
    assert connections.find(shop.database.read(), "google:me") is None


def test_a_service_that_refuses_leaves_everything_as_it_was(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    front.rules.append(Rule(method="POST", path="/oauth2/token", status=400))
    with pytest.raises(SignInDeniedError):
        connect(shop, front, ANNA)
    assert connections.find(shop.database.read(), "google:me") is None


def web_api(front: EmulatorProxy) -> dict[str, Any]:
    """Settings of a web API with OAuth: here the user-info endpoint."""
    return {
        "base_url": f"{front.url}/oauth2/v2",
        "auth": "oauth2",
        "client_id": "dayhand-desktop",
        "authorize_url": f"{front.url}/o/oauth2/v2/auth",
        "token_url": f"{front.url}/oauth2/token",
        "scopes": "openid email",
    }


def test_a_sign_in_to_any_web_api_works(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    shop.services.connection_setup._open_browser = agree(front, ANNA)
    shop.services.connect("http:me", web_api(front), test=True)
    row = connections.find(shop.database.read(), "http:me")
    kept = Vault().get("http:me")
    assert row is not None and kept["access_token"] and "access_token" not in row.settings
    shop.deploy(job('answer = ctx.call("http:me", "get", path="userinfo")\nctx.done(answer["json"]["email"])').replace(
        "world:x", "http:me"
    ))  # fmt: skip
    shop.clock.move(HOUR)
    shop.tick()
    assert shop.runs("j")[-1].summary == ANNA


def test_a_web_api_with_another_kind_of_sign_in_opens_no_browser(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    shop.services.connection_setup._open_browser = lambda url: pytest.fail(f"opened {url}")
    shop.services.connect("http:me", {"base_url": front.url, "auth": "bearer", "secret": "t0ken"}, test=False)
    assert Vault().get("http:me") == {"secret": "t0ken"}
    shop.services.connect("http:open", {"base_url": front.url}, test=False)
    assert not http.has_secrets({"auth": "none", "secret": None, "client_secret": None})


@pytest.mark.parametrize("address", ["", "http://example.org/oauth", "example.org", "http://[::1"])
def test_sign_in_over_plain_http_is_refused(shop: RuntimeFixture, front: EmulatorProxy, address: str) -> None:
    shop.services.connection_setup._open_browser = lambda url: pytest.fail(f"opened {url}")
    for field, name in (("authorize_url", "sign-in page"), ("token_url", "token address")):
        with pytest.raises(ToolFailedError, match=f"The {name} of the service must be"):
            shop.services.connect("http:me", {**web_api(front), field: address}, test=False)
    if address:
        for kind in ("google", "slack"):
            with pytest.raises(ToolFailedError, match="that starts with https"):
                shop.services.connect(f"{kind}:me", {"client_id": "x", "base_url": address}, test=False)


def test_a_self_hosted_service_is_trusted_by_its_certificate(shop: RuntimeFixture, tmp_path: Path) -> None:
    """Even when the token is refreshed, with only what the keyring has."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    tokens = {"access_token": "first", "refresh_token": "again", "expires_in": 60}

    def redirect_back(url: str) -> None:
        asked = authorize_parameters(url)
        assert asked["tenant"] == "7"
        back = f"{asked['redirect_uri']}?{urlencode({'code': 'c', 'state': asked['state']})}"
        threading.Thread(target=lambda: urllib.request.urlopen(back, timeout=60).close()).start()

    shop.services.connection_setup._open_browser = redirect_back
    with http_server(lambda _: Reply(body=json.dumps(tokens).encode()), context) as service:
        settings = {
            "base_url": service.url,
            "auth": "oauth2",
            "client_id": "me",
            "authorize_url": f"{service.url}/authorize?tenant=7",
            "token_url": f"{service.url}/token",
        }
        with pytest.raises(ToolFailedError, match="is not trusted"):
            shop.services.connect("http:own", settings)
        shop.services.connect("http:own", {**settings, "certificate": str(tmp_path / "ca.pem")}, test=True)
        tokens["access_token"] = "second"
        assert shop.secrets.read("http:own")["access_token"] == "second"
        assert [request.path for request in service.requests] == ["/token", "/", "/token"]


def test_a_pasted_token_is_used_without_a_browser(shop: RuntimeFixture, front: EmulatorProxy) -> None:
    shop.services.connection_setup._open_browser = lambda url: pytest.fail(f"opened {url}")
    shop.services.connect("slack:team", {"base_url": front.url, "access_token": "xoxb-1"}, test=False)
    assert Vault().get("slack:team") == {"access_token": "xoxb-1"}
    with pytest.raises(SignInDeniedError, match="client ID"):  # the only way without a new token
        shop.services.connect("slack:team", {"base_url": front.url}, test=False)


def test_a_token_of_another_workspace_is_another_account(shop: RuntimeFixture) -> None:
    """Approvals for one workspace do not apply to another one under the same name."""
    workspaces = {"Bearer one": "https://one.slack.example/", "Bearer two": "https://two.slack.example/"}

    def answer(asked: ReceivedRequest) -> Reply:
        told = {"ok": True, "team": "T", "user": "u", "url": workspaces[asked.headers["Authorization"]]}
        return Reply(body=json.dumps(told).encode(), headers={"Content-Type": "application/json"})

    with http_server(answer) as server:
        accounts = []
        for token in ("one", "one", "two"):
            shop.services.connect("slack:work", {"base_url": server.url, "access_token": token}, test=True)
            row = connections.find(shop.database.read(), "slack:work")
            assert row is not None
            accounts.append(slack.endpoint(row.settings)["account"])
    assert accounts == ["one.slack.example", "one.slack.example", "two.slack.example"]
