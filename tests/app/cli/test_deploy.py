"""`deploy` says what it does if that takes long."""

from pathlib import Path
from threading import Event
from typing import Any

import pytest

from app.cli import command_line, deploy


def test_a_slow_deployment_says_what_it_is_doing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "chore.py"
    script.write_text("while True: pass\n")
    said: list[str] = []
    has_said = Event()

    def say(line: str) -> None:
        said.append(line)
        has_said.set()

    def answer_slowly(*_: Any, **__: Any) -> dict[str, Any]:
        assert has_said.wait(60)
        return {"workflow": "w", "version": 1, "schedules": [], "warnings": []}

    monkeypatch.setattr(deploy, "_SILENCE_S", 0.01)
    monkeypatch.setattr(deploy, "print_to_stderr", say)
    monkeypatch.setattr(deploy, "call_api", answer_slowly)
    assert command_line.run(["deploy", str(script)]) == 0
    assert said == ["Loading chore.py …"]
