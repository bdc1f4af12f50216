"""Without a window: what was chosen in one holds all the same."""

import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.headless import _Quitting, _settings, _Tale
from app.keeping.preferences import Preferences, keep_preferences
from scheduler.engine.launcher import Announcement
from scheduler.engine.settings import Settings
from scheduler.engine.workflows.deploying import Wish
from scheduler.store.errors import StoreError
from tests.app.verbs.served import job, serving

LIMIT = 60.0
LONG = """
    import pathlib, time
    here = pathlib.Path({folder!r})
    (here / "started").touch()
    while not (here / "finish").exists() and not ctx.cancelled:
        time.sleep(0.01)
    ctx.done("finished")
"""


def wait_for(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT
    while not holds():
        assert time.monotonic() < end
        QCoreApplication.processEvents()
        time.sleep(0.01)


def test_what_was_chosen_in_the_window_holds_in_a_terminal(tmp_path: Path) -> None:
    keep_preferences(tmp_path, Preferences(concurrency=2, keep_days=30))
    settings = _settings(tmp_path)
    assert (settings.concurrency, settings.kept) == (2, timedelta(days=30))


def test_one_who_chose_nothing_gets_what_is_usual_in_both(tmp_path: Path) -> None:
    assert _settings(tmp_path) == Settings() == Preferences().settle(Settings())


def test_history_kept_for_ever_has_no_end(tmp_path: Path) -> None:
    keep_preferences(tmp_path, Preferences(keep_days=0))
    assert _settings(tmp_path).kept is None


@pytest.mark.parametrize("gives_up", [False, True])
def test_quitting_waits_for_what_must_not_be_cut_off(
    tmp_path: Path, qapp: QApplication, monkeypatch: pytest.MonkeyPatch, *, gives_up: bool
) -> None:
    source = job(LONG.format(folder=str(tmp_path)).strip())
    with serving(tmp_path / "data") as installation:
        house, ended, looks = installation.house, [], []
        validated = house.validation.validate(str(tmp_path / "backup.py"), source)
        installation.host.ask(lambda _: house.commands.deploy(validated, Wish())).result(30)
        list(installation.desk.answer("run", {"target": "backup"}))
        wait_for((tmp_path / "started").exists)
        underway = installation.views.underway

        def count() -> tuple[str, ...]:
            looks.append(underway())
            return looks[-1]

        monkeypatch.setattr(installation.views, "underway", count)
        quitting = _Quitting(installation, lambda: ended.append("ended"), seconds=0 if gives_up else LIMIT)
        quitting.begin()
        if not gives_up:
            wait_for(lambda: len(looks) == 3)
            assert (looks, ended) == ([("Backup",)] * 3, [])
        (tmp_path / "finish").touch()
        wait_for(lambda: ended == ["ended"])
        quitting.stop()


def test_a_warning_is_said_again_after_all_was_well(qapp: QApplication) -> None:
    said: list[str] = []
    troubles: list[Exception] = []

    class Narrating:
        def look(self) -> None:
            if troubles:
                raise troubles[0]

    narrator: Any = Narrating()
    tale = _Tale(narrator, said.append)
    warning = Announcement("store", "The disk is full.", is_warning=True)
    troubles.append(StoreError("The disk is full."))
    tale.hear(warning)
    tale.look()
    tale.hear(warning)
    assert said == ["The disk is full."]
    troubles.clear()
    tale.look()
    tale.hear(warning)
    assert said == ["The disk is full."] * 2
