"""History taken along: all that is looked for, whole or not at all, while the window goes on."""

import csv
import json
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.asking import close_asking
from app.life.installation import Installation
from app.window.history import HistoryPage
from app.window.history_file import HistoryFile
from app.window.history_rows import Read, read_page
from app.words.states import RunState
from scheduler.engine.workflows.views.history import Found
from tests.app.living import Wait
from tests.app.window.filling import few

__all__ = ["few"]


@pytest.fixture
def page(qtbot: QtBot, few: Installation, wait: Wait) -> HistoryPage:
    made = HistoryPage(few)
    qtbot.addWidget(made)
    made.show()
    made.refresh()
    wait(lambda: made.model.rowCount() > 0)
    return made


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.window.history_file._AT_ONCE", 5)


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if path.suffix == ".csv" else json.load(file)


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_what_is_shown_can_be_taken_along(page: HistoryPage, wait: Wait, tmp_path: Path, kind: str) -> None:
    page.filters.result.setCurrentIndex(page.filters.result.findData("missed"))
    wait(lambda: {one.state for one in page.model.rows} == {RunState.MISSED})
    path = tmp_path / f"taken.{kind}"
    page.export_to(path)
    wait(lambda: page.saying.sentence == f"4 rows were written to taken.{kind}.")
    written = read(path)
    assert [one["result"] for one in written] == ["missed"] * 4
    assert {one["workflow"] for one in written} == {"Receipts", "Back up photos", "Morning digest", "Tidy downloads"}


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_all_pieces_together_are_all_there_is(few: Installation, tmp_path: Path, kind: str, in_pieces: None) -> None:
    path = tmp_path / f"taken.{kind}"
    file = HistoryFile(few, Found(), path)
    while file.go_on():
        assert not path.exists()
    everything = read_page(few, Found(), None, 1_000).rows
    written = [(one["at"], one["workflow"]) for one in read(path)]
    assert sorted(written) == sorted((row.at.isoformat(), row.name) for row in everything)
    assert file.number == len(everything) == few.views.count_history(Found()) > 10


def test_how_far_it_is_can_be_seen_and_it_can_be_cancelled(
    page: HistoryPage, wait: Wait, tmp_path: Path, in_pieces: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lay there before lies there afterwards, and nothing beside it."""
    before = tmp_path / "out" / "taken.csv"
    before.parent.mkdir()
    before.write_text("mine", encoding="utf-8")
    total = page.installation.views.count_history(Found())
    go_on = Event()

    def read_slowly(installation: Installation, wanted: Found, cursor: str | None, most: int) -> Read:
        assert cursor is None or go_on.wait(60)
        return read_page(installation, wanted, cursor, most)

    monkeypatch.setattr("app.window.history_file.read_page", read_slowly)
    page.export_to(before)
    assert page.exporting.isVisible() and not page.export.isEnabled()
    wait(lambda: page.exporting.words.text().endswith(f" of {total} rows") and page.exporting.progress.value() > 0)
    assert page.exporting.progress.value() < page.exporting.progress.maximum() == total
    assert page.exporting.words.text() == f"Writing taken.csv: {page.exporting.progress.value()} of {total} rows"
    page.exporting.cancel.click()
    go_on.set()
    wait(lambda: page.saying.sentence == "taken.csv was not written.")
    assert not page.exporting.isVisible() and page.export.isEnabled()
    assert [one.read_text(encoding="utf-8") for one in before.parent.iterdir()] == ["mine"]


def test_what_cannot_be_written_is_said_and_leaves_nothing(
    page: HistoryPage, wait: Wait, tmp_path: Path, in_pieces: None
) -> None:
    page.export_to(tmp_path / "nowhere" / "taken.csv")
    wait(
        lambda: page.saying.sentence.endswith("could not be written: No such file or directory. Choose another place.")
    )
    page.export_to(tmp_path)  # a folder: only at the end it turns out that it cannot be put there
    wait(lambda: page.saying.sentence.endswith("could not be written: Is a directory. Choose another place."))
    assert not [one.name for one in tmp_path.parent.iterdir() if one.name.startswith(f".{tmp_path.name}")]
    page.export_to(tmp_path / "taken.csv")
    wait((tmp_path / "taken.csv").exists)


def test_an_app_that_ends_meanwhile_leaves_no_piece(
    page: HistoryPage, qtbot: QtBot, wait: Wait, tmp_path: Path, in_pieces: None
) -> None:
    place = tmp_path / "out"
    place.mkdir()
    page.export_to(place / "taken.csv")
    wait(lambda: list(place.iterdir()))
    close_asking()
    page.exporting.deleteLater()
    del page.exporting
    wait(lambda: not list(place.iterdir()))
