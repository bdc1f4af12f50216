"""The command line as its user types it."""

import pytest

from app import cli
from scheduler import __version__


def test_version_names_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        cli.run(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"dayhand {__version__}\n"
