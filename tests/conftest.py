from tests.connections.kept import keyring, service

__all__ = ["keyring", "service"]
