from tests.desktop.fixtures import daemon, play

__all__ = ["daemon", "play"]
