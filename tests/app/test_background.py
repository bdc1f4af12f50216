"""Asking away from the GUI thread."""

import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.asking import Asking, close_asking, command
from app.life.installation import Installation
from scheduler.engine.refusal import RefusedError
from tests.app.living import LIMIT, empty

__all__ = ["empty"]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    close_asking()


def test_it_asks_elsewhere_and_answers_here(qtbot: QtBot) -> None:
    heard: list[tuple[str, str]] = []
    asking = Asking()
    asking.ask(
        lambda: threading.current_thread().name, lambda name: heard.append((name, threading.current_thread().name))
    )
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert heard[0][0].startswith("asking")
    assert heard[0][1] == threading.current_thread().name


def test_a_failure_comes_back_as_one(qtbot: QtBot) -> None:
    heard: list[Exception] = []

    def fail() -> None:
        raise ValueError("no")

    asking = Asking()
    asking.ask(fail, lambda _: pytest.fail("it did not work"), heard.append)
    qtbot.waitUntil(lambda: bool(heard), timeout=LIMIT)
    assert str(heard[0]) == "no"


def test_nobody_hears_the_answer_once_the_page_is_gone(qtbot: QtBot) -> None:
    page, other = QObject(), QObject()
    gate, heard = threading.Event(), []
    Asking(page).ask(lambda: gate.wait(60), lambda _: heard.append("gone"))
    delete(page)
    gate.set()
    Asking(other).ask(lambda: None, lambda _: heard.append("here"))
    qtbot.waitUntil(lambda: "here" in heard, timeout=LIMIT)
    close_asking()
    assert heard == ["here"]


def test_what_is_asked_again_and_again_is_asked_once_more(qtbot: QtBot) -> None:
    gate, asked, heard = threading.Event(), [], []
    asking = Asking()

    def look() -> int:
        gate.wait(60)
        asked.append(1)
        return len(asked)

    for _ in range(20):
        asking.ask_latest("day", look, heard.append)
    gate.set()
    qtbot.waitUntil(lambda: heard == [1, 2], timeout=LIMIT)
    assert len(asked) == 2


def test_after_a_failure_the_subject_can_be_asked_about_again(qtbot: QtBot) -> None:
    asking, heard = Asking(), []

    def fail() -> None:
        raise ValueError("no")

    asking.ask_latest("day", fail, heard.append, lambda _: heard.append("failed"))
    qtbot.waitUntil(lambda: heard == ["failed"], timeout=LIMIT)
    asking.ask_latest("day", lambda: "well", heard.append)
    qtbot.waitUntil(lambda: heard == ["failed", "well"], timeout=LIMIT)


def test_a_command_that_is_not_carried_out_is_a_refusal_with_a_sentence(empty: Installation) -> None:
    with pytest.raises(RefusedError) as refused:
        command(empty, "run", target="nobody")
    assert "nobody" in refused.value.sentence
    assert command(empty, "list") == {"workflows": []}
