"""The export contains all matching rows, complete or not at all, while the window stays responsive."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.background import close_background_tasks
from app.i18n.state_labels import RunState
from app.session import Session
from app.window.history.export import ExportFile
from app.window.history.history_data import HistoryRows, read_page
from app.window.history.page import HistoryPage
from scheduler.rules.history_query import HistoryQuery
from tests.app.app_fixture import Wait
from tests.app.window.session_fixture import few

__all__ = ["few"]


@pytest.fixture
def page(qtbot: QtBot, few: Session, wait: Wait) -> HistoryPage:
    made = HistoryPage(few)
    qtbot.addWidget(made)
    made.show()
    made.refresh()
    wait(lambda: made.model.rowCount() > 0)
    return made


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.window.history.export._ROWS_PER_PAGE", 5)


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file)) if path.suffix == ".csv" else json.load(file)


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_the_filtered_rows_are_exported(page: HistoryPage, wait: Wait, tmp_path: Path, kind: str) -> None:
    page.filters.result.setCurrentIndex(page.filters.result.findData("missed"))
    wait(lambda: {one.state for one in page.model.rows} == {RunState.MISSED})
    path = tmp_path / f"export.{kind}"
    page.export_to(path)
    wait(lambda: page.status_line.message == f"Exported 4 rows to export.{kind}.")
    written = read(path)
    assert [one["result"] for one in written] == ["missed"] * 4
    assert {one["workflow"] for one in written} == {"Receipts", "Back up photos", "Morning digest", "Tidy downloads"}


def test_one_row_is_one_row(page: HistoryPage, wait: Wait, tmp_path: Path) -> None:
    page.filters.workflow.setCurrentIndex(page.filters.workflow.findText("Back up photos"))
    page.filters.result.setCurrentIndex(page.filters.result.findData("missed"))
    wait(lambda: len(page.model.rows) == 1)
    page.export_to(tmp_path / "export.csv")
    wait(lambda: page.status_line.message == "Exported 1 row to export.csv.")


@pytest.mark.parametrize("kind", ["csv", "json"])
def test_all_pages_together_contain_every_row(few: Session, tmp_path: Path, kind: str, small_pages: None) -> None:
    path = tmp_path / f"export.{kind}"
    file = ExportFile(few, HistoryQuery(), path)
    while file.write_page():
        assert not path.exists()
    everything = read_page(few, HistoryQuery(), None, 1_000).rows
    written = [(one["at"], one["workflow"]) for one in read(path)]
    assert sorted(written) == sorted((row.at.isoformat(), row.name) for row in everything)
    assert file.rows_written == len(everything) == few.queries.count_history(HistoryQuery()) > 10


def test_a_text_that_a_spreadsheet_would_run_is_exported_as_text(
    few: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = replace(read_page(few, HistoryQuery(), None, 1).rows[0], what="=HYPERLINK(A1)")
    page = SimpleNamespace(rows=[row], cursor=None)
    monkeypatch.setattr("app.window.history.export.read_page", lambda *_: page)
    ExportFile(few, HistoryQuery(), tmp_path / "export.csv").write_page()
    assert [one["what"] for one in read(tmp_path / "export.csv")] == ["'=HYPERLINK(A1)"]


def test_an_export_shows_its_progress_and_can_be_cancelled(
    page: HistoryPage, wait: Wait, tmp_path: Path, small_pages: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An existing file is left unchanged, with nothing beside it."""
    before = tmp_path / "out" / "export.csv"
    before.parent.mkdir()
    before.write_text("mine", encoding="utf-8")
    total = page.session.queries.count_history(HistoryQuery())
    may_continue = Event()

    def read_slowly(installation: Session, wanted: HistoryQuery, cursor: str | None, most: int) -> HistoryRows:
        assert cursor is None or may_continue.wait(60)
        return read_page(installation, wanted, cursor, most)

    monkeypatch.setattr("app.window.history.export.read_page", read_slowly)
    page.export_to(before)
    assert page.export_progress.isVisible() and not page.export.isEnabled()
    wait(
        lambda: (
            page.export_progress.label.text().endswith(f" of {total} rows")
            and page.export_progress.progress.value() > 0
        )
    )
    assert page.export_progress.progress.value() < page.export_progress.progress.maximum() == total
    assert (
        page.export_progress.label.text()
        == f"Writing export.csv: {page.export_progress.progress.value()} of {total} rows"
    )
    page.export_progress.cancel.click()
    may_continue.set()
    wait(lambda: page.status_line.message == "Export cancelled. export.csv was not written.")
    assert not page.export_progress.isVisible() and page.export.isEnabled()
    assert [one.read_text(encoding="utf-8") for one in before.parent.iterdir()] == ["mine"]


def test_a_failed_export_is_reported_and_leaves_nothing(
    page: HistoryPage, wait: Wait, tmp_path: Path, small_pages: None
) -> None:
    page.export_to(tmp_path / "nowhere" / "export.csv")
    wait(
        lambda: page.status_line.message.endswith(
            "could not be written: No such file or directory. Choose another place."
        )
    )
    page.export_to(tmp_path)  # a folder: fails only at the end
    wait(lambda: page.status_line.message.endswith("could not be written: Is a directory. Choose another place."))
    assert not [one.name for one in tmp_path.parent.iterdir() if one.name.startswith(f".{tmp_path.name}")]
    page.export_to(tmp_path / "export.csv")
    wait((tmp_path / "export.csv").exists)


def test_quitting_during_an_export_leaves_no_partial_file(
    page: HistoryPage, qtbot: QtBot, wait: Wait, tmp_path: Path, small_pages: None
) -> None:
    place = tmp_path / "out"
    place.mkdir()
    page.export_to(place / "export.csv")
    wait(lambda: list(place.iterdir()))
    close_background_tasks()
    page.export_progress.deleteLater()
    del page.export_progress
    wait(lambda: not list(place.iterdir()))
