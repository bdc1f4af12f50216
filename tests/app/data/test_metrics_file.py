"""The metrics file: whole at every moment, switched on and off at once, and trouble is shown but never fatal."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse_prometheus
from pytestqt.qtbot import QtBot

from app.data import metrics_file
from app.data.metrics_file import FILE, MetricsFile, find_trouble, metrics_folder
from app.data.preferences import Preferences
from app.session import Session
from scheduler.store.errors import StoreClosedError
from tests.app.app_fixture import Wait, deploy, empty, wait  # noqa: F401  fixtures

NEVER = 3_600_000


class Files:
    """Metrics files of one session."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.reported: list[str] = []
        self.made: list[MetricsFile] = []

    def open(self, folder: Path | None, interval_ms: int = NEVER) -> MetricsFile:
        self.made.append(MetricsFile(self.session.queries, folder, self.reported.append, interval_ms=interval_ms))
        finish(self.made[-1])
        return self.made[-1]


def finish(file: MetricsFile) -> None:
    if file._thread is not None:
        file._thread.join(60)
        assert not file._thread.is_alive()


def on(folder: Path) -> Preferences:
    return Preferences(writes_metrics=True, metrics_folder=str(folder))


def read(folder: Path) -> dict[str, float]:
    families = parse_openmetrics((folder / FILE).read_text())
    return {sample.name: sample.value for family in families for sample in family.samples if not sample.labels}


@pytest.fixture
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("textfile")


@pytest.fixture
def files(empty: Session) -> Iterator[Files]:  # noqa: F811  a fixture
    files = Files(empty)
    yield files
    for one in files.made:
        one.stop()
        finish(one)


def test_it_is_off_unless_the_user_chose_a_folder(files: Files, target: Path) -> None:
    assert metrics_folder(Preferences()) is None
    assert metrics_folder(Preferences(writes_metrics=True)) is None
    assert metrics_folder(Preferences(metrics_folder=str(target))) is None
    file = files.open(None)
    assert not file.isActive() and file._thread is None


def test_it_is_switched_on_moved_and_off_at_once(files: Files, target: Path) -> None:
    file = files.open(None)
    other = target / "other"
    other.mkdir()
    file.apply(on(target))
    finish(file)
    assert read(target)["dayhand_up"] == 1 and file.isActive()
    file.apply(on(other))
    finish(file)
    assert read(other)["dayhand_up"] == 1
    assert not (target / FILE).exists(), "the old numbers would be taken for current ones"
    file.apply(Preferences(metrics_folder=str(other)))
    finish(file)
    assert list(target.rglob("*")) == [other] and not file.isActive()


def test_it_is_written_again_every_minute(files: Files, target: Path) -> None:
    file = files.open(target)
    assert MetricsFile(files.session.queries, None, print).interval() == 60_000
    (target / FILE).unlink()
    file._rest_until = 0
    file.timeout.emit()
    finish(file)
    assert read(target)["dayhand_up"] == 1


def test_the_last_numbers_say_that_the_app_has_quit(files: Files, target: Path) -> None:
    file = files.open(target)
    file.stop()
    finish(file)
    assert read(target)["dayhand_up"] == 0


def test_both_formats_of_prometheus_accept_it(files: Files, target: Path) -> None:
    deploy(files.session, "Backup", "pass")
    files.open(target)
    text = (target / FILE).read_text()
    as_openmetrics, as_prometheus = (
        [(sample.name, sample.labels, sample.value) for family in found for sample in family.samples]
        for found in (parse_openmetrics(text), parse_prometheus(text))
    )
    assert len(as_openmetrics) > 50 and as_openmetrics == as_prometheus
    assert text.endswith("# EOF\n")


@pytest.mark.skipif(os.name != "posix", reason="file modes")
def test_node_exporter_may_read_it(files: Files, target: Path) -> None:
    files.open(target)
    before = os.umask(0)
    os.umask(before)
    assert (target / FILE).stat().st_mode & 0o777 == 0o666 & ~before


def test_a_reader_finds_a_whole_file_at_every_moment(files: Files, target: Path) -> None:
    file = files.open(target)
    ended, torn, seen = threading.Event(), [], set()

    def watch() -> None:
        while not ended.is_set():
            text = (target / FILE).read_text()
            seen.add((target / FILE).stat().st_ino)
            if not text.endswith("# EOF\n"):
                torn.append(text)

    reader = threading.Thread(target=watch)
    reader.start()
    for _ in range(30):
        file._update(is_running=True)
        finish(file)
    ended.set()
    reader.join(60)
    assert not torn and len(seen) > 1
    assert [one.name for one in target.iterdir()] == [FILE], "nothing temporary is left"


def test_a_failed_write_keeps_the_old_file(files: Files, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = files.open(target)
    before = (target / FILE).read_bytes()

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    file._update(is_running=True)
    finish(file)
    assert (target / FILE).read_bytes() == before
    assert files.reported == [
        f"{target / FILE} could not be written: No space left on device. Choose another folder in Settings."
    ]


def test_trouble_is_reported_once_until_it_is_solved(files: Files, target: Path) -> None:
    folder = target / "missing"
    file = files.open(folder)
    for _ in range(3):
        file._update(is_running=True)
        finish(file)
    assert len(files.reported) == 1 and "No such file or directory" in files.reported[0]
    folder.mkdir()
    file._update(is_running=True)
    finish(file)
    assert read(folder)["dayhand_up"] == 1
    (folder / FILE).unlink()
    folder.rmdir()
    file._update(is_running=True)
    finish(file)
    assert len(files.reported) == 2


@pytest.mark.parametrize("text", ["~nobody-has-this-name/metrics", "a\0b", "/dev/null", "x" * 5_000])
def test_no_text_in_the_preferences_stops_the_app(files: Files, text: str) -> None:
    folder = metrics_folder(Preferences(writes_metrics=True, metrics_folder=text))
    assert folder is not None and find_trouble(folder)
    files.open(folder)
    assert len(files.reported) == 1 and "could not be written" in files.reported[0]


def test_a_store_that_cannot_be_read_is_reported(files: Files, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(**_: Any) -> None:
        raise StoreClosedError

    monkeypatch.setattr(files.session.queries, "metrics", fail)
    files.open(target)
    assert len(files.reported) == 1 and not (target / FILE).exists()


def test_a_slow_collection_is_repeated_less_often(
    files: Files, target: Path, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    """It takes at most a hundredth of the time."""
    now = [1_000.0]
    monkeypatch.setattr(metrics_file.time, "monotonic", lambda: now[0])
    collect = files.session.queries.metrics

    def collect_slowly(**arguments: Any) -> Any:
        now[0] += 3
        return collect(**arguments)

    monkeypatch.setattr(files.session.queries, "metrics", collect_slowly)
    file = files.open(target)
    (target / FILE).unlink()
    now[0] += 290
    file.timeout.emit()
    finish(file)
    assert not (target / FILE).exists()
    now[0] += 11
    file.timeout.emit()
    finish(file)
    assert (target / FILE).exists()
