"""Qt objects that tests leave in cycles are taken apart in the main thread: elsewhere that crashes the process."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True, scope="session")
def one_application(qapp: QApplication) -> QApplication:
    """A command that a test runs in this process would make one without windows, and there can be no second one."""
    return qapp


@pytest.fixture(autouse=True, scope="module")
def collect_here() -> Iterator[None]:
    """As the app itself does (see app/life/garbage.py): no thread that happens to allocate collects."""
    gc.collect()
    gc.disable()
    yield
    gc.collect()
    gc.enable()
