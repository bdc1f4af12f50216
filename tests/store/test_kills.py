"""kill -9 at every step of everything that touches the files: what is found afterwards is whole, or said."""

from pathlib import Path

import pytest

from tests.store.killing import SCENES
from tests.store.stores import run_python


@pytest.mark.parametrize("scene", SCENES)
def test_a_kill_at_any_step_loses_nothing_and_hides_nothing(tmp_path: Path, scene: str) -> None:
    """D2, D4"""
    ended = run_python("import runpy; runpy.run_module('tests.store.killing', run_name='__main__')", tmp_path, scene)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 10, "steps at which it was killed"
