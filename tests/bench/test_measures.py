"""That what is measured can still be done: the steps of the benches, once and small, without a clock."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.bench.history_size import SMALL, Store, measures


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("store"), SMALL)
    yield store
    store.close()


@pytest.mark.parametrize("act", [act for _, act in measures.values()], ids=list(measures))
def test_what_a_long_history_is_asked_for_can_be_answered(store: Store, act: Callable[[Store], None]) -> None:
    act(store)


def test_durable_runs_can_be_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.bench.our_runs", str(tmp_path), "3"]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    assert set(json.loads(said)) == {"each", "whole", "first"}
