"""Every state has a word for people, and every word can be translated."""

import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

import app.words.states
import app.words.times
from app.words.states import RunState, TrayState, say_run, say_tray, say_workflow
from scheduler.rules.states import WorkflowState

JARGON = re.compile(
    r"\b(handler|topic|mutation|mutate|transaction|phase|prepare\b|occurrence|coalesce|exception|lane|reconcil|tick)",
    re.IGNORECASE,
)


def every_word() -> Iterator[str]:
    yield from map(say_workflow, WorkflowState)
    yield from map(say_run, RunState)
    yield from map(say_tray, TrayState)


def test_workflows_are_in_the_states_that_were_promised() -> None:
    assert [say_workflow(state) for state in WorkflowState] == [
        *("Needs attention", "Stopped", "Fixing", "Running", "Queued"),
        *("Retrying", "Paused", "Finished", "Idle", "Put away"),
    ]


def test_the_tray_says_the_most_urgent_first() -> None:
    assert list(TrayState) == ["attention", "error", "running", "paused", "offline", "idle"]


def test_words_are_words_for_people() -> None:
    for words in every_word():
        assert words and words[0].isupper()
        assert JARGON.search(words) is None


@pytest.mark.parametrize("states", [(say_workflow, WorkflowState), (say_run, RunState), (say_tray, TrayState)])
def test_no_two_states_have_the_same_word(states: tuple[object, type]) -> None:
    say, members = states
    words = [say(state) for state in members]  # type: ignore[operator, attr-defined]
    assert len(set(words)) == len(words)


class Shouting(QTranslator):
    """A language of our own, to see that what is shown went through the translation."""

    def translate(self, context: str, text: str, comment: str | None = None, n: int = -1) -> str:  # type: ignore[override]
        return text.upper().replace("%N", "%n") if context == "words" else ""

    def isEmpty(self) -> bool:  # noqa: N802  # Qt's name
        return False


def test_what_is_said_went_through_the_translation(qapp: QApplication) -> None:
    translator = Shouting()
    QCoreApplication.installTranslator(translator)
    try:
        assert all(words == words.upper() for words in every_word())
    finally:
        QCoreApplication.removeTranslator(translator)


def test_a_translator_is_given_every_word(tmp_path: Path) -> None:
    """The tool that collects texts for translators finds them all in the sources."""
    collected = tmp_path / "texts.ts"
    lupdate = Path(sysconfig.get_path("scripts")) / "pyside6-lupdate"
    sources = [str(app.words.states.__file__), str(app.words.times.__file__)]
    subprocess.run([lupdate, *sources, "-ts", collected], check=True, capture_output=True)
    found: dict[str, set[str | None]] = {
        str(context.findtext("name")): {message.findtext("source") for message in context.iter("message")}
        for context in ET.parse(collected).getroot().iter("context")
    }
    assert set(every_word()) <= found["words"]
    assert {"in {number} min", "{time} in {city} ({here} here)", "just now"} <= found["times"]
