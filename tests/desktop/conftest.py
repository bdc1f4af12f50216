from tests.desktop.fixtures import desk, one_desk

__all__ = ["desk", "one_desk"]
