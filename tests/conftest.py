import sys

import pytest

from tests.connections.keyring_fixtures import keyring, service

__all__ = ["keyring", "service"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out on Windows what holds only on POSIX systems."""
    if sys.platform == "win32":
        for item in items:
            for mark in item.iter_markers("posix"):
                item.add_marker(pytest.mark.skip(reason=mark.args[0]))
