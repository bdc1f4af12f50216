from tests.app.notifications.recording_backend import fallback, signals
from tests.desktop.fixtures import desk, shared_desk
from tests.desktop.notification_screen import wait_until_gone, wait_until_shown

__all__ = ["desk", "fallback", "shared_desk", "signals", "wait_until_gone", "wait_until_shown"]
