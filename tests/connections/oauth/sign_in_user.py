"""A user who signs in to services with a browser."""

import threading
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from scheduler.connections.connector import Connector
from scheduler.connections.oauth.authorization import authorize
from tests.connections.chromium import Chromium
from tests.connections.emulator_proxy import EmulatorProxy

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def settings_of(front: EmulatorProxy) -> dict[str, Any]:
    return {"client_id": "dayhand-desktop", "client_secret": "app-secret", "base_url": front.url}


def sign_in(
    connector: Connector, front: EmulatorProxy, open_browser: Callable[[str], None], before: str | None = None
) -> dict[str, Any]:
    return authorize(
        connector,
        settings_of(front),
        connection=f"{connector.kind}:me",
        now=lambda: NOW,
        previous_account=before,
        open_browser=open_browser,
        seconds=120,
    )


def sign_in_with_browser(browser: Chromium, who: str) -> Callable[[str], None]:
    """Open the page and click on an account."""

    def act(url: str) -> None:
        browser.open(url)
        browser.click_button(who)

    return act


def agree(front: EmulatorProxy, who: str) -> Callable[[str], None]:
    """Agree at once, sending what a browser would send."""

    def act(url: str) -> None:
        form = urlencode({**authorize_parameters(url), "email": who}).encode()

        def go() -> None:
            urllib.request.urlopen(f"{front.url}/o/oauth2/v2/auth/callback", form, timeout=60).close()

        threading.Thread(target=go).start()

    return act


def authorize_parameters(url: str) -> dict[str, str]:
    """The parameters of an authorize address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
