from tests.app.notices.recording import heard, otherwise
from tests.desktop.fixtures import daemon, play

__all__ = ["daemon", "heard", "otherwise", "play"]
