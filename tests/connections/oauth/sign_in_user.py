"""A person at a browser, and the services that they sign in to."""

import threading
import urllib.request
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from scheduler.connections.connector import Connector
from scheduler.connections.oauth.authorising import authorise
from tests.connections.chromium import Chromium
from tests.connections.front import Front

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def settings_of(front: Front) -> dict[str, Any]:
    return {"client_id": "dayhand-desktop", "client_secret": "app-secret", "base_url": front.url}


def sign_in(
    connector: Connector, front: Front, open_browser: Callable[[str], None], before: str | None = None
) -> dict[str, Any]:
    return authorise(
        connector,
        settings_of(front),
        connection=f"{connector.kind}:me",
        now=lambda: NOW,
        before=before,
        open_browser=open_browser,
        seconds=120,
    )


def at(browser: Chromium, who: str) -> Callable[[str], None]:
    """Opens the page and clicks on an account."""

    def act(url: str) -> None:
        browser.open(url)
        browser.click_button(who)

    return act


def agree(front: Front, who: str) -> Callable[[str], None]:
    """Somebody who agrees at once: what their browser would send and follow."""

    def act(url: str) -> None:
        form = urlencode({**asked_by(url), "email": who}).encode()

        def go() -> None:
            urllib.request.urlopen(f"{front.url}/o/oauth2/v2/auth/callback", form, timeout=60).close()

        threading.Thread(target=go).start()

    return act


def asked_by(url: str) -> dict[str, str]:
    """The parameters of an authorize address."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}
