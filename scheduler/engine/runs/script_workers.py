"""Provides workers that have loaded a script, in the environment that its packages need."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from scheduler.engine.script_plan import ScriptPlan
from scheduler.rules.failures import Failure, FailureClass
from scheduler.rules.phases import HandlerKind
from scheduler.user_text import UserText
from scheduler.workers.cpu_weight import cpu_weights
from scheduler.workers.environments import Dependencies, Environments, InstallFailedError
from scheduler.workers.outcomes import Outcome, ScriptFailed, TimedOut, WorkerDied, WorkerStartError
from scheduler.workers.pool import Pool, ScriptLoadError
from scheduler.workers.script import Limits, Script
from scheduler.workers.worker import Worker
from scheduler.workers.worker_records import kill_orphans

_MAX_SCRIPTS = 500


class NoWorkerError(Exception):
    """No process could be started for the script; a retry may help."""


class BadScriptError(Exception):
    """The script itself cannot be loaded."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.sentence)
        self.failure = failure


class ScriptWorkers:
    """Thread-safe."""

    def __init__(self, folder: Path, limits: Limits | None = None, *, max_workers: int = 8) -> None:
        self._folder = folder
        self._limits = limits or Limits()
        self._cap = max_workers
        self._pool: Pool | None = None
        self._scripts: dict[tuple[str, int], Script] = {}
        self._lock = Lock()
        self.environments = Environments(folder)

    @property
    def pool(self) -> Pool:
        with self._lock:
            if self._pool is None:
                self._pool = Pool(self._folder, self._limits, max_workers=self._cap)
            return self._pool

    def end_orphans(self) -> int:
        """End workers left behind by a killed instance; returns how many."""
        return kill_orphans(self._folder)

    def lower_priority(self, *, on: bool) -> None:
        """Leave more CPU to the app while its window is in use."""
        cpu_weights.set_low(on=on)

    def acquire(self, plan: ScriptPlan, on_output: Callable[[str], None] = lambda _: None) -> Worker:
        """A worker that has loaded this version; `on_output` gets what is printed while loading.

        NoWorkerError if no process started, BadScriptError if the script cannot be loaded.
        """
        script = self._scripts.get((plan.workflow, plan.version))
        try:
            if script is None:
                script = self._prepare(plan, on_output)
            worker = self.pool.acquire(script, on_output)
        except (WorkerStartError, InstallFailedError) as error:
            self.forget(plan.workflow)
            raise NoWorkerError(str(error)) from error
        except ScriptLoadError as error:
            raise BadScriptError(to_load_failure(error.outcome, plan.path)) from error
        if (difference := plan.find_difference(worker.description)) is not None:
            self.pool.release(worker)
            sentence = UserText(
                "The script no longer matches what was deployed ({difference}). Deploy it again.", difference=difference
            )
            raise BadScriptError(Failure(kind=FailureClass.LOGIC, sentence=sentence).with_location(plan.path, None))
        return worker

    def describe(
        self, path: str, source: str, needs: Dependencies, on_output: Callable[[str], None] = lambda _: None
    ) -> dict[str, Any]:
        """Load a script in its own process and return its description; raises like `acquire`."""
        identity = f"{path} {uuid4().hex}"
        try:
            python = self.environments.prepare(needs, on_output)
            script = Script(workflow=identity, version=0, path=path, source=source, python=python, is_awaited=True)
            worker = self.pool.acquire(script, on_output)
        except (WorkerStartError, InstallFailedError) as error:
            raise NoWorkerError(str(error)) from error
        except ScriptLoadError as error:
            raise BadScriptError(to_load_failure(error.outcome, path)) from error
        described = worker.description
        self.pool.release(worker)
        self.pool.end_workers_of(identity)
        return described

    def release(self, worker: Worker) -> None:
        self.pool.release(worker)

    def forget(self, workflow: str) -> None:
        """Drop workers and cached scripts of a workflow that changed or was removed."""
        with self._lock:
            for key in [key for key in self._scripts if key[0] == workflow]:
                del self._scripts[key]
        self.pool.end_workers_of(workflow)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.close()

    def _prepare(self, plan: ScriptPlan, on_output: Callable[[str], None]) -> Script:
        script = Script(
            workflow=plan.workflow,
            version=plan.version,
            path=plan.path,
            source=plan.source,
            python=self.environments.prepare(plan.dependencies, on_output),
            is_sandboxed=all(handler.kind is not HandlerKind.JOB for handler in plan.handlers.values()),
        )
        with self._lock:
            if len(self._scripts) > _MAX_SCRIPTS:
                self._scripts.clear()
            self._scripts[plan.workflow, plan.version] = script
        return script


def to_load_failure(outcome: Outcome, file: str) -> Failure:
    """The failure for a script that could not be loaded; one that took too long may be loaded another time."""
    failure = to_failure(outcome, file)
    if not isinstance(outcome, TimedOut):
        return failure
    located = replace(failure, kind=FailureClass.LOGIC).with_location(file, outcome.line)
    return replace(located, kind=failure.kind)


def to_failure(outcome: Outcome, file: str, line: int | None = None, *, is_job: bool = False) -> Failure:
    """The failure for a phase that did not finish: the script's fault, unless a phase other than a job timed out.

    `line` is where the phase is defined, for outcomes that do not know their own line.
    """
    sentence = getattr(outcome, "sentence", UserText("The script could not be run."))
    if isinstance(outcome, TimedOut) and is_job:
        return Failure(kind=FailureClass.LOGIC, sentence=sentence, command=outcome.command or None)
    if isinstance(outcome, TimedOut):
        return Failure(kind=FailureClass.TRANSIENT, sentence=sentence)
    if isinstance(outcome, ScriptFailed) and outcome.line is not None:
        return Failure(
            kind=FailureClass.LOGIC,
            sentence=sentence,
            file=outcome.file,
            line=outcome.line,
            traceback=outcome.traceback,
            command=outcome.command or None,
            exit_code=outcome.exit_code,
        )
    own_line = outcome.line if isinstance(outcome, WorkerDied) else None
    traceback = outcome.traceback if isinstance(outcome, ScriptFailed) else None
    return Failure(kind=FailureClass.LOGIC, sentence=sentence, traceback=traceback).with_location(
        file, own_line or line
    )
