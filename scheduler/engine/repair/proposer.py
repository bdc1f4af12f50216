"""Gets a repaired script for a failed run: asks the fixer, checks and dry-runs its answer. Off the engine thread."""

import difflib
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scheduler.connections.connector import ToolFailedError
from scheduler.connections.secrets import Secrets
from scheduler.engine.context import EngineContext
from scheduler.engine.errors import RefusedError
from scheduler.engine.fixer_config import KEY_FIELD, KEYRING_ENTRY, FixerConfig, FixerKind
from scheduler.engine.lookup import find_run
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
from scheduler.engine.repair.proposals import Proposal, store_unused
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.engine.workflows.validation import InvalidScriptError, ScriptValidator
from scheduler.engine.workflows.workflow_commands import WorkflowCommands
from scheduler.rules.phases import RunStatus
from scheduler.store import key_values, logs, workflows
from scheduler.store.database import Database
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, WorkflowRow
from scheduler.user_text import UserText, join_texts

TIME_LIMIT_S = 300.0
"""Time limit for all attempts of one repair together."""

DryRun = Callable[[str, str], str | None]
"""Dry-runs a script (path, source); returns its error or None."""


class NoRepairError(Exception):
    """No usable repair; the sentences say what was tried and why it failed."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(join_texts(sentences, " "))
        self.sentences = sentences


class RepairProposer:
    def __init__(
        self,
        database: Database,
        validation: ScriptValidator,
        fixer: Fixer | None,
        *,
        seconds: float = TIME_LIMIT_S,
        dry_run: DryRun = lambda *_: None,
    ) -> None:
        self._database = database
        self._validation = validation
        self._fixer = fixer
        self._seconds = seconds
        self._dry_run = dry_run

    def describe(self, run: str, *, private: bool = False) -> FailureReport:
        """What would be sent about a failed run; with `private`, nothing is left out."""
        db = self._database.read()
        return describe_failure(db, find_run(db, run), private=private)

    def propose(self, run: str) -> Proposal:
        """Ask the fixer, at most three times in one chain of failures; on any thread but the engine's."""
        db = self._database.read()
        row = find_run(db, run)
        problem = self.describe(row.id)
        flow = workflows.find(db, row.workflow)
        assert flow is not None
        refusals: list[str] = []
        end = time.monotonic() + self._seconds
        while self._count(row) < MAX_ATTEMPTS:
            if (left := end - time.monotonic()) <= 0:
                refusals.append(
                    UserText("The limit of {seconds} seconds per repair is used up.", seconds=f"{self._seconds:g}")
                )
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
            refusals
            or [
                UserText(
                    "{flow} was already repaired {max_attempts} times and still fails; fix it yourself.",
                    flow=flow.name,
                    max_attempts=MAX_ATTEMPTS,
                )
            ]
        )

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
        db = self._database.read()
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
            raise _UnusableError([UserText("The fixer returned the same script.")])
        if compared.refused:
            raise _UnusableError(list(compared.refused))
        try:
            validated = self._validation.validate(flow.path, new)
        except InvalidScriptError as error:
            raise _UnusableError(error.sentences) from error
        before = workflows.find_script(self._database.read(), row.workflow, row.script)
        assert before is not None
        if refused := compare_descriptions(before.described, validated.described):
            raise _UnusableError(refused)
        if (trouble := self._dry_run(flow.path, new)) is not None:
            raise _UnusableError([UserText("It fails in a test run: {trouble}", trouble=trouble)])
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
        with self._database.write() as db:
            key_values.write(db, attempts_key(row.chain), str(number))

    def _count(self, row: RunRow) -> int:
        return int(key_values.read(self._database.read(), attempts_key(row.chain)) or 0)


def describe_failure(db: sqlite3.Connection, row: RunRow, *, private: bool = False) -> FailureReport:
    if row.status is not RunStatus.LOGIC:
        raise RefusedError("not failed", UserText("Only a run whose script failed can be repaired."))
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
        phase=row.phase,
        log=logs.read(db, row.id) if private else log_excerpt(logs.read(db, row.id)),
        inputs=show(row.prepared),
    )


def make_fixer(choice: FixerConfig, secrets: Secrets) -> Fixer:
    """The fixer that the user chose, for one repair. Raises RefusedError if there is none."""
    if not choice.is_on:
        raise RefusedError(
            "fixer", UserText("No fixer is set up to repair scripts. Choose one in Settings, or: dayhand fixer --help")
        )
    if choice.kind is FixerKind.COMMAND:
        return CommandFixer(choice.command_words)

    def read_key() -> str | None:
        if not choice.has_key:
            return None
        try:
            return str(secrets.read_saved(KEYRING_ENTRY)[KEY_FIELD])
        except ToolFailedError as error:
            raise FixerUnreachableError(
                UserText("The model server's key cannot be read. {failure}", failure=error.failure.sentence)
            ) from error
        except KeyError as error:
            raise FixerUnreachableError(
                UserText("The keyring has no key for the model server. Enter it again in Settings.")
            ) from error

    return ChatFixer(base_url=choice.url, model=choice.model, key=read_key, tokens=choice.tokens)


def apply_proposal(
    context: EngineContext, commands: WorkflowCommands, proposal: Proposal, *, automatic: bool = False
) -> dict[str, Any]:
    """Deploy it, on the engine thread; if the script has changed since, it is stored but not used."""
    if automatic and proposal.asks:
        raise RefusedError("asks", UserText("This repair needs your approval. {asks}", asks=" ".join(proposal.asks)))
    flow = workflows.find(context.database.read(), proposal.workflow)
    if flow is None:
        raise RefusedError("unknown", UserText("The workflow no longer exists."))
    if flow.script != proposal.base:
        with context.database.write() as db:
            number = store_unused(db, proposal.workflow, proposal.validated, context.clock.now())
        return {"workflow": proposal.workflow, "version": number, "applied": False}
    answer = commands.deploy(proposal.validated, DeployOptions(origin=ScriptOrigin.FIX))
    return {**answer, "applied": True}


class _UnusableError(Exception):
    def __init__(self, sentences: list[str]) -> None:
        super().__init__(join_texts(sentences, " "))
        self.sentences = sentences
