import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from app.session import Session
from tests.app.cli.live_cli import CommandLine, running_session


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    """A command line on an empty data folder, without a running app."""
    return CommandLine(tmp_path / "data", capsys)


@pytest.fixture
def app(cli: CommandLine, qapp: QApplication) -> Iterator[Session]:
    """The app, running on the data folder of `cli`."""
    with running_session(cli.folder) as installation:
        yield installation


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A pseudo-terminal: the user's end, and the program's."""
    try:
        ends = os.openpty()
    except OSError:
        pytest.skip("needs /dev/pts")
    yield ends
    for end in ends:
        os.close(end)
