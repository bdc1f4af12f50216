"""Gets a repaired script for a failed run: asks the fixer, checks and dry-runs its answer. Off the engine thread."""

import difflib
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.engine.errors import RefusedError
from scheduler.engine.repair.auto_repair import MAX_ATTEMPTS, attempts_key
from scheduler.engine.repair.chat_fixer import ChatFixer
from scheduler.engine.repair.checks import compare_descriptions, compare_scripts
from scheduler.engine.repair.command_fixer import CommandFixer
from scheduler.engine.repair.failure_report import (
    FailureReport,
    log_excerpt,
    mask_secrets,
    redact_report,
    redact_values,
    unmask_secrets,
)
from scheduler.engine.repair.fixer import BudgetSpentError, Fixer, FixerFailedError, FixerUnreachableError
from scheduler.engine.repair.fixer_config import KEY_FIELD, KEYRING_ENTRY, FixerConfig, FixerKind
from scheduler.engine.repair.proposals import Proposal, store_unused
from scheduler.engine.runs.tool_calls import Secrets
from scheduler.engine.runtime import Runtime
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.dry_run.dry_run import DryRunEnvironment, dry_run_script
from scheduler.engine.workflows.lookup import find_run
from scheduler.engine.workflows.validation import InvalidScriptError
from scheduler.rules.phases import RunStatus
from scheduler.store import connections, key_values, logs, workflows
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, WorkflowRow

TIME_LIMIT_S = 300.0
"""Time limit for all attempts of one repair together."""

DryRun = Callable[[str, str], str | None]
"""Dry-runs a script (path, source); returns its error or None."""


class NoRepairError(Exception):
    """No usable repair; the sentences say what was tried and why it failed."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences


class RepairProposer:
    def __init__(
        self, runtime: Runtime, fixer: Fixer | None, *, seconds: float = TIME_LIMIT_S, dry_run: DryRun = lambda *_: None
    ) -> None:
        self._runtime = runtime
        self._fixer = fixer
        self._seconds = seconds
        self._rehearse = dry_run

    def describe(self, run: str, *, private: bool = False) -> FailureReport:
        """What would be sent about a failed run; with `private`, nothing is left out."""
        db = self._runtime.database.read()
        return describe_failure(db, find_run(db, run), private=private)

    def propose(self, run: str) -> Proposal:
        """Ask the fixer, at most three times in one chain of failures; on any thread but the engine's."""
        db = self._runtime.database.read()
        row = find_run(db, run)
        problem = self.describe(row.id)
        flow = workflows.find(db, row.workflow)
        assert flow is not None
        refusals: list[str] = []
        end = time.monotonic() + self._seconds
        while self._count(row) < MAX_ATTEMPTS:
            if (left := end - time.monotonic()) <= 0:
                refusals.append(f"The limit of {self._seconds:g} seconds per repair is used up.")
                break
            before = self._count(row)
            self._set_count(row, before + 1)  # first, so that a fixer that crashes us is not asked forever
            try:
                return self._attempt(problem, flow, row, left)
            except FixerUnreachableError as error:
                self._set_count(row, before)
                refusals.append(str(error))
                break
            except BudgetSpentError as error:
                refusals.append(str(error))
                break
            except _UnusableError as error:
                refusals += error.sentences
                problem = replace(problem, notes=tuple(error.sentences))
        raise NoRepairError(
            refusals or [f"{flow.name} was already repaired {MAX_ATTEMPTS} times and still fails; fix it yourself."]
        )

    def apply(self, proposal: Proposal, *, automatic: bool = False) -> dict[str, Any]:
        """Deploy it, on the engine thread; if the script has changed since, it is stored but not used."""
        if automatic and proposal.asks:
            raise RefusedError("asks", f"This repair needs your approval. {' '.join(proposal.asks)}")
        flow = workflows.find(self._runtime.database.read(), proposal.workflow)
        if flow is None:
            raise RefusedError("unknown", "The workflow no longer exists.")
        if flow.script != proposal.base:
            now = self._runtime.engine.context.clock.now()
            with self._runtime.database.write() as db:
                number = store_unused(db, proposal.workflow, proposal.validated, now)
            return {"workflow": proposal.workflow, "version": number, "applied": False}
        answer = self._runtime.workflow_commands.deploy(proposal.validated, DeployOptions(origin=ScriptOrigin.FIX))
        return {**answer, "applied": True}

    def _attempt(self, problem: FailureReport, flow: WorkflowRow, row: RunRow, seconds: float) -> Proposal:
        assert self._fixer is not None, "propose needs a fixer"
        try:
            new = unmask_secrets(self._fixer.repair(problem, seconds), problem.script)
        except (FixerUnreachableError, BudgetSpentError):
            raise
        except FixerFailedError as error:
            raise _UnusableError([str(error)]) from error
        return self._check(problem, flow, row, new)

    def check(self, run: str, source: str) -> Proposal:
        """Check a script from elsewhere by the same rules. Raises NoRepairError with the rules it breaks."""
        db = self._runtime.database.read()
        row = find_run(db, run)
        flow = workflows.find(db, row.workflow)
        assert flow is not None
        try:
            return self._check(self.describe(row.id), flow, row, source)
        except _UnusableError as error:
            raise NoRepairError(error.sentences) from error

    def _check(self, problem: FailureReport, flow: WorkflowRow, row: RunRow, new: str) -> Proposal:
        compared = compare_scripts(problem.script, new)
        if compared.is_same:
            raise _UnusableError(["The fixer returned the same script."])
        if compared.refused:
            raise _UnusableError(list(compared.refused))
        try:
            validated = self._runtime.validation.validate(flow.path, new)
        except InvalidScriptError as error:
            raise _UnusableError(error.sentences) from error
        before = workflows.find_script(self._runtime.database.read(), row.workflow, row.script)
        assert before is not None
        if refused := compare_descriptions(before.described, validated.described):
            raise _UnusableError(refused)
        if (trouble := self._rehearse(flow.path, new)) is not None:
            raise _UnusableError([f"It fails in a test run: {trouble}"])
        return Proposal(
            workflow=flow.slug,
            run=row.id,
            base=row.script,
            before=problem.script,
            validated=validated,
            difference="".join(
                difflib.unified_diff(
                    problem.script.splitlines(keepends=True), new.splitlines(keepends=True), "before", "after"
                )
            ),
            asks=compared.asks,
            sent=problem.full_text,
        )

    def _set_count(self, row: RunRow, number: int) -> None:
        with self._runtime.database.write() as db:
            key_values.write(db, attempts_key(row.chain), str(number))

    def _count(self, row: RunRow) -> int:
        return int(key_values.read(self._runtime.database.read(), attempts_key(row.chain)) or 0)


def describe_failure(db: sqlite3.Connection, row: RunRow, *, private: bool = False) -> FailureReport:
    if row.status is not RunStatus.LOGIC:
        raise RefusedError("not failed", "Only a run whose script failed can be repaired.")
    script = workflows.find_script(db, row.workflow, row.script)
    assert script is not None
    error = row.error or {}
    show: Callable[[Any], Any] = (lambda value: value) if private else redact_values
    text: Callable[[str], str] = (lambda value: value) if private else redact_report
    return FailureReport(
        script=script.source,
        sent_script=script.source if private else mask_secrets(script.source),
        error=text(str(error.get("sentence", ""))),
        traceback=text(str(error.get("traceback") or "")),
        handler=row.handler,
        phase=row.phase.value,
        log=logs.read(db, row.id) if private else log_excerpt(logs.read(db, row.id)),
        inputs=show(row.prepared),
    )


def make_fixer(choice: FixerConfig, secrets: Secrets) -> Fixer:
    """The fixer that the user chose, for one repair. Raises RefusedError if there is none."""
    if not choice.is_on:
        raise RefusedError(
            "fixer", "No fixer is set up to repair scripts. Choose one in Settings, or: dayhand fixer --help"
        )
    if choice.kind is FixerKind.COMMAND:
        return CommandFixer(choice.command_words)

    def read_key() -> str | None:
        if not choice.has_key:
            return None
        try:
            return str(secrets.read_saved(KEYRING_ENTRY)[KEY_FIELD])
        except ToolFailedError as error:
            raise FixerUnreachableError(f"The model server's key cannot be read. {error.failure.sentence}") from error
        except KeyError as error:
            raise FixerUnreachableError(
                "The keyring has no key for the model server. Enter it again in Settings."
            ) from error

    return ChatFixer(base_url=choice.url, model=choice.model, key=read_key, tokens=choice.tokens)


def find_dry_run_error(runtime: Runtime, path: str, source: str) -> str | None:
    """Dry-run a script in a folder of its own; returns an error of its own code. Failed connections do not count."""
    context = runtime.engine.context
    around = DryRunEnvironment(
        registry=runtime.registry,
        secrets=None,
        connections={row.name: row.settings for row in connections.list_all(runtime.database.read())},
        machine_zone=context.machine_zone,
        now=context.clock.now(),
    )
    with TemporaryDirectory(prefix="dayhand-try-") as folder:
        tried = dry_run_script(path, source, Path(folder), around)
    return next((step.error for step in tried.steps if step.status == "failed:logic"), None)


class _UnusableError(Exception):
    def __init__(self, sentences: list[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences
