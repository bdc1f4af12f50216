"""Every state has a readable, translatable label."""

import re
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QCoreApplication, QTranslator
from PySide6.QtWidgets import QApplication

import app.i18n.state_labels
import app.i18n.time_text
from app.i18n.state_labels import RunState, TrayState, run_state_label, tray_state_label, workflow_state_label
from scheduler.rules.workflow_state import WorkflowState

JARGON = re.compile(
    r"\b(handler|topic|mutation|mutate|transaction|phase|prepare\b|occurrence|coalesce|exception|lane|reconcil|tick)",
    re.IGNORECASE,
)


def all_labels() -> Iterator[str]:
    yield from map(workflow_state_label, WorkflowState)
    yield from map(run_state_label, RunState)
    yield from map(tray_state_label, TrayState)


def test_labels_of_workflow_states() -> None:
    assert [workflow_state_label(state) for state in WorkflowState] == [
        *("Needs attention", "Stopped", "Fixing", "Running", "Queued"),
        *("Retrying", "Paused", "Missed", "Finished", "Idle", "Archived"),
    ]


def test_tray_states_are_ordered_by_urgency() -> None:
    assert list(TrayState) == ["attention", "error", "running", "paused", "offline", "idle"]


def test_labels_contain_no_jargon() -> None:
    for words in all_labels():
        assert words and words[0].isupper()
        assert JARGON.search(words) is None


@pytest.mark.parametrize(
    "states", [(workflow_state_label, WorkflowState), (run_state_label, RunState), (tray_state_label, TrayState)]
)
def test_no_two_states_have_the_same_label(states: tuple[object, type]) -> None:
    say, members = states
    words = [say(state) for state in members]  # type: ignore[operator, attr-defined]
    assert len(set(words)) == len(words)


class CapitalsTranslator(QTranslator):
    """A fake language: every translated text is in capitals."""

    def translate(self, context: str, text: str, comment: str | None = None, n: int = -1) -> str:  # type: ignore[override]
        return text.upper().replace("%N", "%n") if context == "words" else ""

    def isEmpty(self) -> bool:  # noqa: N802  # Qt's name
        return False


def test_labels_are_translated(qapp: QApplication) -> None:
    translator = CapitalsTranslator()
    QCoreApplication.installTranslator(translator)
    try:
        assert all(words == words.upper() for words in all_labels())
    finally:
        QCoreApplication.removeTranslator(translator)


def test_lupdate_finds_every_label(tmp_path: Path) -> None:
    collected = tmp_path / "texts.ts"
    lupdate = Path(sysconfig.get_path("scripts")) / "pyside6-lupdate"
    sources = [str(app.i18n.state_labels.__file__), str(app.i18n.time_text.__file__)]
    subprocess.run([lupdate, *sources, "-ts", collected], check=True, capture_output=True)
    labels: dict[str, set[str | None]] = {
        str(context.findtext("name")): {message.findtext("source") for message in context.iter("message")}
        for context in ET.parse(collected).getroot().iter("context")
    }
    assert set(all_labels()) <= labels["words"]
    assert {"in {number} min", "{time} in {city} ({here} here)", "just now"} <= labels["times"]
