"""Expiring tokens are refreshed when read from a real keyring."""

import json
from datetime import UTC, datetime, timedelta

from scheduler.connections.secrets import SecretStore
from tests.connections.secret_service import SecretService
from tests.connections.web_servers import Reply, http_server

NOW = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)


def test_a_new_login_is_saved_before_it_is_used(keyring: SecretService) -> None:
    body = json.dumps({"access_token": "new", "refresh_token": "r1", "expires_in": 3600}).encode()
    with http_server(lambda _: Reply(body=body)) as endpoint:
        store = SecretStore(lambda: NOW)
        secrets = {"access_token": "a", "refresh_token": "r0", "expires_at": NOW.isoformat(), "token_url": endpoint.url}
        store.keep("google:me", secrets)
        renewed = {"access_token": "new", "refresh_token": "r1", "expires_at": (NOW + timedelta(hours=1)).isoformat()}
        assert store.read("google:me") == {**secrets, **renewed}
        assert SecretStore(lambda: NOW).read("google:me") == {**secrets, **renewed}
        assert len(endpoint.requests) == 1
