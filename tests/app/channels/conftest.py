from tests.app.app_fixture import empty, installation, request_, wait
from tests.app.channels.channel_fixture import desk, ntfy

__all__ = ["desk", "empty", "installation", "ntfy", "request_", "wait"]
