import pytest

from app.window.requests import delayed_answers
from tests.app.app_fixture import empty, installation, request_, wait

__all__ = ["empty", "installation", "request_", "wait"]


@pytest.fixture(autouse=True)
def send_answers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests about undoing them set a longer time."""
    monkeypatch.setattr(delayed_answers, "UNDO_MS", 1)
