import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.life.installation import Installation
from tests.app.verbs.served import Line, serving


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Line:
    """Nothing runs."""
    return Line(tmp_path / "data", capsys)


@pytest.fixture
def app(line: Line, qapp: QApplication) -> Iterator[Installation]:
    """The app runs with the line's data folder."""
    with serving(line.folder) as installation:
        yield installation


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A real one: the person's end, and the end of the program."""
    try:
        ends = os.openpty()
    except OSError:
        pytest.skip("terminals cannot be opened here: /dev/pts is missing")
    yield ends
    for end in ends:
        os.close(end)
