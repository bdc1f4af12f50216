from tests.app.notifications.recording_backend import fallback, signals
from tests.desktop.fixtures import daemon, fake_service

__all__ = ["daemon", "fake_service", "fallback", "signals"]
