"""Without a window: what was chosen in one holds all the same."""

from datetime import timedelta
from pathlib import Path

from app.headless import _settings
from app.keeping.preferences import Preferences, keep_preferences
from scheduler.engine.settings import Settings


def test_what_was_chosen_in_the_window_holds_in_a_terminal(tmp_path: Path) -> None:
    keep_preferences(tmp_path, Preferences(concurrency=2, keep_days=30))
    settings = _settings(tmp_path)
    assert (settings.concurrency, settings.kept) == (2, timedelta(days=30))


def test_one_who_chose_nothing_gets_what_is_usual_in_both(tmp_path: Path) -> None:
    assert _settings(tmp_path) == Settings() == Preferences().settle(Settings())


def test_history_kept_for_ever_has_no_end(tmp_path: Path) -> None:
    keep_preferences(tmp_path, Preferences(keep_days=0))
    assert _settings(tmp_path).kept is None
