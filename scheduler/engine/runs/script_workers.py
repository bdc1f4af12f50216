"""Where scripts run: warm workers, and the environments that their packages need."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from scheduler.engine.plans import Plan
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.phases import HandlerKind
from scheduler.workers.dependencies import Dependencies
from scheduler.workers.environments import CouldNotInstallError, Environments
from scheduler.workers.limits import Limits
from scheduler.workers.outcomes import CouldNotStartError, Outcome, ScriptFailed, TimedOut, WorkerDied
from scheduler.workers.pool import NotLoadedError, Pool
from scheduler.workers.records import end_orphans
from scheduler.workers.script import Script
from scheduler.workers.weighing import weights
from scheduler.workers.worker import Worker

_KEPT = 500


class NoWorkerError(Exception):
    """No process could be started for the script; trying again may help."""


class BadScriptError(Exception):
    """The script itself cannot be loaded."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.sentence)
        self.failure = failure


class Workshop:
    """Any thread may take a worker and give it back."""

    def __init__(self, folder: Path, limits: Limits | None = None, *, cap: int = 8) -> None:
        self._folder = folder
        self._limits = limits or Limits()
        self._cap = cap
        self._pool: Pool | None = None
        self._scripts: dict[tuple[str, int], Script] = {}
        self._lock = Lock()
        self.environments = Environments(folder)

    @property
    def pool(self) -> Pool:
        with self._lock:
            if self._pool is None:
                self._pool = Pool(self._folder, self._limits, cap=self._cap)
            return self._pool

    def end_orphans(self) -> int:
        """End the workers that an instance left behind which was killed; how many there were."""
        return end_orphans(self._folder)

    def step_back(self, *, on: bool) -> None:
        """Leave more of the processor to the app, while somebody looks at it."""
        weights.step_back(on=on)

    def acquire(self, plan: Plan, keep: Callable[[str], None] = lambda _: None) -> Worker:
        """A worker that has loaded this version; `keep` gets what is printed on the way.

        NoWorkerError if no process came up, BadScriptError if the script cannot be loaded.
        """
        script = self._scripts.get((plan.workflow, plan.version))
        try:
            if script is None:
                script = self._prepare(plan, keep)
            worker = self.pool.acquire(script, keep)
        except (CouldNotStartError, CouldNotInstallError) as error:
            self.forget(plan.workflow)
            raise NoWorkerError(str(error)) from error
        except NotLoadedError as error:
            raise BadScriptError(failure_of(error.outcome, plan.path)) from error
        if (difference := plan.find_difference(worker.description)) is not None:
            self.pool.release(worker)
            sentence = f"It describes itself differently than when it was deployed ({difference}). Deploy it again."
            raise BadScriptError(Failure(kind=FailureClass.LOGIC, sentence=sentence).placed(plan.path, None))
        return worker

    def describe(
        self, path: str, source: str, needs: Dependencies, keep: Callable[[str], None] = lambda _: None
    ) -> dict[str, Any]:
        """Load a script in a process of its own and have it described; raises as `acquire`."""
        identity = f"{path} {uuid4().hex}"
        try:
            python = self.environments.prepare(needs, keep)
            script = Script(workflow=identity, version=0, path=path, source=source, python=python)
            worker = self.pool.acquire(script, keep)
        except (CouldNotStartError, CouldNotInstallError) as error:
            raise NoWorkerError(str(error)) from error
        except NotLoadedError as error:
            raise BadScriptError(failure_of(error.outcome, path)) from error
        described = worker.description
        self.pool.release(worker)
        self.pool.forget(identity)
        return described

    def release(self, worker: Worker) -> None:
        self.pool.release(worker)

    def forget(self, workflow: str) -> None:
        """Its script changed or went away."""
        with self._lock:
            for key in [key for key in self._scripts if key[0] == workflow]:
                del self._scripts[key]
        self.pool.forget(workflow)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()

    def _prepare(self, plan: Plan, keep: Callable[[str], None]) -> Script:
        script = Script(
            workflow=plan.workflow,
            version=plan.version,
            path=plan.path,
            source=plan.source,
            python=self.environments.prepare(plan.needs, keep),
            is_fenced=all(handler.kind is not HandlerKind.JOB for handler in plan.handlers.values()),
        )
        with self._lock:
            if len(self._scripts) > _KEPT:
                self._scripts.clear()
            self._scripts[plan.workflow, plan.version] = script
        return script


def failure_of(outcome: Outcome, file: str, line: int | None = None) -> Failure:
    """What a phase that did not finish means: the script is at fault, unless time ran out.

    The line is where the phase is written, for those that cannot say themselves where they ended.
    """
    sentence = getattr(outcome, "sentence", "The script could not be run.")
    if isinstance(outcome, TimedOut):
        return Failure(kind=FailureClass.TRANSIENT, sentence=sentence)
    if isinstance(outcome, ScriptFailed) and outcome.line is not None:
        return Failure(
            kind=FailureClass.LOGIC,
            sentence=sentence,
            file=outcome.file,
            line=outcome.line,
            traceback=outcome.traceback,
        )
    known = outcome.line if isinstance(outcome, WorkerDied) else None
    traceback = outcome.traceback if isinstance(outcome, ScriptFailed) else None
    return Failure(kind=FailureClass.LOGIC, sentence=sentence, traceback=traceback).placed(file, known or line)
