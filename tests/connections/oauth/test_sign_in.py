"""Signing in end to end with a real browser, a service emulator and attackers."""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.connectors.google.connector import google
from scheduler.connections.connectors.slack.connector import slack
from scheduler.connections.oauth.authorization import authorize, code_challenge
from scheduler.connections.oauth.errors import SignInDeniedError, SignInError, SignInTimeoutError, WrongAccountError
from scheduler.connections.oauth.token_refresh import TokenRefresher, refresh_tokens
from scheduler.rules.failures import FailureClass
from tests.connections import emulator_fixtures
from tests.connections.chromium import Chromium, running_chromium
from tests.connections.emulator import ANNA, BERT
from tests.connections.emulator_proxy import EmulatorProxy, Rule
from tests.connections.oauth.sign_in_user import NOW, authorize_parameters, settings_of, sign_in, sign_in_with_browser
from tests.connections.tool_calls import call, tool_of

emulator, front, slack_front = emulator_fixtures.emulator, emulator_fixtures.google_proxy, emulator_fixtures.slack_proxy


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    with running_chromium(tmp_path_factory.mktemp("browser")) as browser:
        yield browser


def visit(url: str) -> str:
    """As a program that finds the listener would."""
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError as error:
        with error:
            return error.read().decode()


def come_back(**given: str) -> Callable[[str], None]:
    """A service that redirects at once without a user; `state` is the right one unless given."""

    def act(url: str) -> None:
        parameters = authorize_parameters(url)
        query = urlencode({"state": parameters["state"], **given})
        threading.Thread(target=visit, args=(f"{parameters['redirect_uri']}?{query}",)).start()

    return act


def consent(front: EmulatorProxy, url: str, who: str = ANNA) -> str:
    """Where the service redirects the browser of a user who agrees."""
    form = urlencode({**authorize_parameters(url), "email": who}).encode()

    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_: Any) -> None:
            return None

    opener = urllib.request.build_opener(Stay)
    with pytest.raises(urllib.error.HTTPError) as sent, opener.open(f"{front.url}/o/oauth2/v2/auth/callback", form):
        pass
    with sent.value as answer:
        return str(answer.headers["Location"])


def test_a_user_signs_in_through_their_browser(front: EmulatorProxy, browser: Chromium) -> None:
    got = sign_in(google, front, sign_in_with_browser(browser, ANNA))
    browser.wait_for_text(f"Dayhand now uses Google as {ANNA}. You can close this page.")
    assert got["account"] == ANNA
    assert got["expires_at"] == (NOW + timedelta(hours=1)).isoformat()
    assert got["access_token"] and got["refresh_token"]
    mails = tool_of(google, "search_mail").run(call({**settings_of(front), **got}, query="subject:receipt"))
    assert [mail["subject"] for mail in mails] == ["Receipt 3", "Receipt 2", "Receipt 1"]


def test_the_address_has_the_parameters_of_a_native_app(front: EmulatorProxy) -> None:
    opened: list[str] = []

    def look(url: str) -> None:
        opened.append(url)
        come_back(error="access_denied")(url)

    with pytest.raises(SignInDeniedError):
        sign_in(google, front, look, before=ANNA)
    parameters = authorize_parameters(opened[0])
    assert opened[0].startswith(f"{front.url}/o/oauth2/v2/auth?")
    assert parameters["response_type"] == "code" and parameters["code_challenge_method"] == "S256"
    assert parameters["redirect_uri"].startswith("http://127.0.0.1:")
    assert parameters["access_type"] == "offline" and parameters["login_hint"] == ANNA
    assert len(parameters["state"]) >= 40 and len(parameters["code_challenge"]) == 43
    assert "app-secret" not in opened[0]


def test_the_code_challenge_matches_the_standard() -> None:
    """RFC 7636, appendix B."""
    assert (
        code_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )


def test_state_and_challenge_are_new_each_time(front: EmulatorProxy) -> None:
    opened: list[dict[str, str]] = []
    for _ in range(2):

        def look(url: str) -> None:
            opened.append(authorize_parameters(url))
            come_back(error="access_denied")(url)

        with pytest.raises(SignInDeniedError):
            sign_in(google, front, look)
    for name in ("state", "code_challenge", "redirect_uri"):
        assert opened[0][name] != opened[1][name]


def test_a_forged_callback_gets_an_error_page_and_the_user_still_signs_in(
    front: EmulatorProxy, browser: Chromium
) -> None:
    """Another page in the browser sends a code for the attacker's account."""

    pages: list[str] = []
    beside: list[threading.Thread] = []

    def attack(url: str) -> None:
        def act() -> None:
            address = authorize_parameters(url)["redirect_uri"]
            pages.extend(visit(f"{address}?{query}") for query in ("code=forged", "code=forged&state=guess"))
            sign_in_with_browser(browser, ANNA)(url)

        beside.append(threading.Thread(target=act))
        beside[0].start()

    got = sign_in(google, front, attack)
    beside[0].join()
    assert got["account"] == ANNA
    assert ["Not the page Dayhand expected" in page for page in pages] == [True, True]
    assert front.count("/oauth2/token") == 1


def test_a_stolen_code_is_useless(front: EmulatorProxy) -> None:
    """PKCE: a stolen code cannot be exchanged for tokens or injected into another sign-in."""
    stolen: list[str] = []

    def steal(url: str) -> None:
        stolen.append(authorize_parameters(consent(front, url))["code"])
        come_back(error="access_denied")(url)

    with pytest.raises(SignInDeniedError):
        sign_in(google, front, steal)
    for verifier in ({}, {"code_verifier": "guess" * 10}):
        form = {"grant_type": "authorization_code", "code": stolen[0], "client_id": "dayhand-desktop", **verifier}
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{front.url}/oauth2/token", urlencode(form).encode(), timeout=60)
        with refused.value as answer:
            assert json.loads(answer.read())["error"] == "invalid_grant"
    with pytest.raises(SignInDeniedError):
        sign_in(google, front, come_back(code=stolen[0]))


def test_a_user_who_denies_access_sees_that_nothing_was_connected(front: EmulatorProxy, browser: Chromium) -> None:
    def refuse(url: str) -> None:
        parameters = authorize_parameters(url)
        browser.open(f"{parameters['redirect_uri']}?error=access_denied&state={parameters['state']}")

    with pytest.raises(SignInDeniedError, match="Access to Google was denied") as failed:
        sign_in(google, front, refuse)
    assert failed.value.failure.kind is FailureClass.AUTH
    browser.wait_for_text("Not connected")
    browser.wait_for_text("Connect again to allow it.")
    assert front.count("/oauth2/token") == 0


def test_another_refusal_does_not_quote_the_service(front: EmulatorProxy) -> None:
    with pytest.raises(SignInDeniedError, match="Check the client ID") as failed:
        sign_in(google, front, come_back(error="invalid_request<script>"))
    assert "script" not in failed.value.failure.sentence


def test_signing_in_times_out(front: EmulatorProxy) -> None:
    with pytest.raises(SignInTimeoutError):
        authorize(
            google,
            settings_of(front),
            connection="google:me",
            now=lambda: NOW,
            open_browser=lambda _: None,
            seconds=0.05,
        )


def test_without_a_client_id_no_browser_is_opened(front: EmulatorProxy) -> None:
    opened: list[str] = []
    with pytest.raises(SignInError, match="no client ID"):
        authorize(google, {}, connection="google:me", now=lambda: NOW, open_browser=opened.append)
    assert opened == []


def test_a_browser_that_cannot_be_opened_leaves_no_listener_open(front: EmulatorProxy) -> None:
    addresses: list[str] = []

    def fail(url: str) -> None:
        addresses.append(authorize_parameters(url)["redirect_uri"])
        raise SignInError("No browser.")

    with pytest.raises(SignInError):
        sign_in(google, front, fail)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(addresses[0], timeout=60)


def test_partial_permissions_are_not_enough(front: EmulatorProxy) -> None:
    body = json.dumps({"access_token": "a", "scope": google.oauth.scopes[0]} if google.oauth else {}).encode()
    front.rules.append(Rule("/oauth2/token", status=200, body=body))
    with pytest.raises(SignInDeniedError, match=r"allowed only in part; missing: .*gmail"):
        sign_in(google, front, come_back(code="c"))


@pytest.mark.parametrize(("status", "kind"), [(503, FailureClass.TRANSIENT), (400, FailureClass.AUTH)])
def test_a_service_that_fails_at_the_end_is_classified(front: EmulatorProxy, status: int, kind: FailureClass) -> None:
    front.rules.append(Rule("/oauth2/token", status=status))
    with pytest.raises(ToolFailedError) as failed:
        sign_in(google, front, come_back(code="c"))
    assert failed.value.failure.kind is kind


def test_a_reconnect_refuses_another_account_and_names_both(front: EmulatorProxy, browser: Chromium) -> None:
    with pytest.raises(WrongAccountError) as failed:
        sign_in(google, front, sign_in_with_browser(browser, BERT), before=ANNA)
    sentence = f"You signed in as {BERT}, but google:me belongs to {ANNA}."
    assert failed.value.failure.sentence.startswith(sentence)
    assert (failed.value.before, failed.value.now) == (ANNA, BERT)
    browser.wait_for_text(sentence)


def test_accounts_are_compared_without_case(front: EmulatorProxy) -> None:
    def agree(url: str) -> None:
        back = consent(front, url)
        threading.Thread(target=visit, args=(back,)).start()

    assert sign_in(google, front, agree, before=ANNA.upper())["account"] == ANNA


def revoke(front: EmulatorProxy, *tokens: str) -> None:
    for token in tokens:
        with urllib.request.urlopen(f"{front.url}/oauth2/revoke", urlencode({"token": token}).encode(), timeout=60):
            pass


def test_a_revoked_login_works_again_after_a_reconnect(front: EmulatorProxy, browser: Chromium) -> None:
    """Revoked at the server: tool and refresh both ask for a reconnect, and signing in fixes both."""
    look = tool_of(google, "search_mail").run
    got = sign_in(google, front, sign_in_with_browser(browser, ANNA))
    settings = settings_of(front)
    assert look(call({**settings, **got}, query="receipt"))
    revoke(front, got["access_token"], got["refresh_token"])
    with pytest.raises(ToolFailedError) as failed:
        look(call({**settings, **got}, query="receipt"))
    assert failed.value.failure.kind is FailureClass.AUTH
    with pytest.raises(
        SignInDeniedError, match=rf"google:me can no longer use the account of {ANNA}\. Connect again\."
    ):
        refresh_tokens("google:me", got, now=NOW)
    again = sign_in(google, front, sign_in_with_browser(browser, ANNA), before=got["account"])
    browser.wait_for_text("You can close this page")
    assert again["access_token"] != got["access_token"]
    assert look(call({**settings, **again}, query="receipt"))


def test_a_refreshed_login_works(front: EmulatorProxy, browser: Chromium) -> None:
    got = sign_in(google, front, sign_in_with_browser(browser, ANNA))
    kept: list[Any] = [got]
    later = TokenRefresher(lambda: NOW + timedelta(hours=2))
    fresh = later.refresh_if_expiring("google:me", got, lambda: kept[-1], kept.append)
    revoke(front, got["access_token"])
    assert fresh["access_token"] != got["access_token"] and fresh["refresh_token"] == got["refresh_token"]
    assert kept[-1] == fresh
    assert "Signed in as anna" in google.test(call({**settings_of(front), **fresh}))


def test_signing_in_to_slack_works_the_same_way(slack_front: EmulatorProxy, browser: Chromium) -> None:
    got = sign_in(slack, slack_front, sign_in_with_browser(browser, "admin"))
    browser.wait_for_text("Dayhand now uses Slack as emulate.slack.com.")
    assert got["account"] == "emulate.slack.com" and got["expires_at"] is None
    assert "Signed in to Emulate" in slack.test(call({**settings_of(slack_front), **got}))


def test_the_code_stays_in_the_browser_history_only(front: EmulatorProxy, browser: Chromium) -> None:
    """The returned secrets contain no code, state or verifier."""
    opened: list[str] = []

    def look(url: str) -> None:
        opened.append(url)
        sign_in_with_browser(browser, ANNA)(url)

    got = sign_in(google, front, look)
    form = next(form for form in front.forms if form.get("grant_type") == "authorization_code")
    kept = json.dumps(got)
    for spent in (form["code"], form["code_verifier"], authorize_parameters(opened[0])["state"]):
        assert spent not in kept
    assert form["code_verifier"] not in opened[0]
