"""Collects garbage only in the main thread: freeing Qt objects in another one crashes the process."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True, scope="session")
def one_application(qapp: QApplication) -> QApplication:
    """Created first: a command run in this process would create one without windows, and there can be only one."""
    QLocale.setDefault(QLocale.c())  # whatever the computer's locale is
    return qapp


@pytest.fixture(autouse=True, scope="module")
def collect_here() -> Iterator[None]:
    """As the app does (app/lifecycle/gui_gc.py): other threads never collect."""
    gc.collect()
    gc.disable()
    yield
    gc.collect()
    gc.enable()
