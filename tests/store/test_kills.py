"""kill -9 at every step of every operation on the files: afterwards the store is intact, or the damage reported."""

from pathlib import Path

import pytest

from tests.store.kill_steps import SCENARIOS
from tests.store.store_files import run_python


@pytest.mark.posix("forks a process for each step")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_kill_at_any_step_loses_nothing_and_hides_nothing(tmp_path: Path, scenario: str) -> None:
    ended = run_python(
        "import runpy; runpy.run_module('tests.store.kill_steps', run_name='__main__')", tmp_path, scenario
    )
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout) > 10, "the number of steps at which it was killed"
