from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scheduler.workers.outcomes import Finished
from scheduler.workers.script import MEGABYTE, Limits
from scheduler.workers.worker import Worker
from tests.workers.worker_fixture import OLD_PYTHON, processes_of, script

QUICK = Limits(grace=0.3, memory=512 * MEGABYTE)


@pytest.fixture
def start() -> Iterator[Callable[..., Worker]]:
    """Starts workers with a loaded script; none of their processes may outlive the test."""
    workers: list[Worker] = []

    def make(source: str, limits: Limits = QUICK, python: Path | None = None) -> Worker:
        worker = Worker(script(source, python=python), limits)
        workers.append(worker)
        outcome = worker.load()
        assert isinstance(outcome, Finished), outcome
        return worker

    yield make
    for worker in workers:
        worker.end()
        assert processes_of(worker.mark) == []


@pytest.fixture(params=["this Python", "Python 3.9"])
def python(request: pytest.FixtureRequest) -> Path | None:
    if request.param == "this Python":
        return None
    if not OLD_PYTHON.exists():
        pytest.skip(f"there is no {OLD_PYTHON}")
    return OLD_PYTHON
