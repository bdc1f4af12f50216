from tests.desktop.fixtures import daemon, fake_service

__all__ = ["daemon", "fake_service"]
