"""The steps of the benchmarks still work: each once, small, without timing."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bench.history_size import SMALL, Store, measures
from tests.bench.options import read_options


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("store"), SMALL)
    yield store
    store.close()


@pytest.mark.parametrize("act", [act for _, act in measures.values()], ids=list(measures))
def test_the_steps_on_a_long_history_work(store: Store, act: Callable[[Store], None]) -> None:
    act(store)


def test_durable_runs_can_be_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bench.our_runs", str(tmp_path), "3"]
    output = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    assert set(json.loads(output)) == {"each", "whole", "first"}


@pytest.mark.parametrize("unknown", ["stored,runs", "everything"])
def test_an_unknown_part_is_rejected(unknown: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Measuring nothing would look like a success."""
    assert read_options(["--only", "stored", "--only", "runs"]).only == ["stored", "runs"]
    with pytest.raises(SystemExit) as left:
        read_options(["--only", unknown])
    assert left.value.code == 2
    assert f"argument --only: invalid choice: {unknown!r} (choose from" in capsys.readouterr().err


def test_the_window_is_measured_without_the_packages_of_the_tests() -> None:
    """The benchmarks have an environment of their own."""
    missing = "import sys; sys.modules |= dict.fromkeys(['pytest', 'pytestqt', 'hypothesis'])"
    command = [sys.executable, "-c", f"{missing}; import tests.bench.window"]
    assert subprocess.run(command, check=False, capture_output=True, text=True, timeout=120).stderr == ""
