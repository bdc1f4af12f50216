"""`dayhand report`, without a running app."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLocale

from app.cli import command_line
from scheduler.store.opening import close_store, open_store
from tests.clocks import ManualClock


@pytest.fixture(autouse=True)
def keep_locale() -> Iterator[None]:
    """The command sets the locale of its process."""
    before = QLocale()
    yield
    QLocale.setDefault(before)


def run(capsys: pytest.CaptureFixture[str], folder: Path, *words: str) -> tuple[int, str]:
    code = command_line.run(["report", "--data-dir", str(folder), *words])
    printed = capsys.readouterr()
    return code, printed.out + printed.err


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    close_store(open_store(tmp_path, ManualClock().wall).database)
    return tmp_path


def test_it_is_printed_as_text_html_or_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Nothing ran" in run(capsys, folder)[1]
    assert run(capsys, folder, "--format", "html")[1].startswith("<!DOCTYPE html>")
    code, written = run(capsys, folder, "--format", "json", "--since", "2026-11-16", "--until", "2026-11-17")
    made = json.loads(written)
    assert code == 0 and len(made["bars"]) == 2 and made["workflows"] == []


def test_a_span_that_ends_before_it_begins_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = run(capsys, folder, "--since", "2026-11-18", "--until", "2026-11-16")
    assert code != 0 and "ends before it begins" in said
