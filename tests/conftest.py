from tests.connections.keyring_fixtures import keyring, service

__all__ = ["keyring", "service"]
