"""From a failed run to a repaired script: proposed off the engine's thread, applied on it after the person's yes."""

import difflib
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from scheduler.engine.fixing.checks import compare, compare_described
from scheduler.engine.fixing.fixer import Fixer, FixerFailedError, NotAskedError, SpentError
from scheduler.engine.fixing.problem import Problem, end_of, hide_in_report, hide_private
from scheduler.engine.fixing.proposals import Proposal, keep_unused
from scheduler.engine.fixing.repairs import MOST_ATTEMPTS, count_of
from scheduler.engine.fixing.withholding import give_back, withhold
from scheduler.engine.house import House
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.engine.workflows.names import find_run
from scheduler.engine.workflows.validation import NotValidError
from scheduler.rules.phases import Status
from scheduler.store import facts, logs, workflows
from scheduler.store.runs import RunRow
from scheduler.store.workflows import ScriptOrigin, WorkflowRow

SECONDS = 300.0
"""How long all attempts of one repair may take together."""

Rehearsal = Callable[[str, str], str | None]
"""Path and script to what goes wrong when it is tried, or None."""


class NoFixError(Exception):
    """Nothing that could be used; the sentences say what was tried and why not."""

    def __init__(self, sentences: list[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences


class Fixing:
    def __init__(
        self, house: House, fixer: Fixer | None, *, seconds: float = SECONDS, rehearse: Rehearsal = lambda *_: None
    ) -> None:
        self._house = house
        self._fixer = fixer
        self._seconds = seconds
        self._rehearse = rehearse

    def describe(self, run: str, *, private: bool = False) -> Problem:
        """What would be sent about a failed run; with `private`, nothing is left out of it."""
        db = self._house.database.read()
        return describe(db, find_run(db, run), private=private)

    def propose(self, run: str) -> Proposal:
        """Ask the fixer, at most three times in one chain of failures; any thread but the engine's."""
        db = self._house.database.read()
        row = find_run(db, run)
        problem = self.describe(row.id)
        flow = workflows.find(db, row.workflow)
        assert flow is not None
        refusals: list[str] = []
        end = time.monotonic() + self._seconds
        while self._count(row) < MOST_ATTEMPTS:
            if (left := end - time.monotonic()) <= 0:
                refusals.append(f"The limit of {self._seconds:g} seconds for one repair is used up.")
                break
            before = self._count(row)
            self._note(row, before + 1)  # first, so that a fixer which takes us down with it is not asked for ever
            try:
                return self._attempt(problem, flow, row, left)
            except NotAskedError as error:
                self._note(row, before)
                refusals.append(str(error))
                break
            except SpentError as error:
                refusals.append(str(error))
                break
            except _UnusableError as error:
                refusals += error.sentences
                problem = replace(problem, notes=tuple(error.sentences))
        raise NoFixError(
            refusals
            or [f"{flow.name} was repaired {MOST_ATTEMPTS} times already and still fails; put it right yourself."]
        )

    def apply(self, proposal: Proposal, *, automatic: bool = False) -> dict[str, Any]:
        """On the engine's thread, after the person's yes or by their setting. Too late, it is kept and not used."""
        if automatic and proposal.asks:
            raise RefusedError("asks", f"This repair needs your yes. {' '.join(proposal.asks)}")
        flow = workflows.find(self._house.database.read(), proposal.workflow)
        if flow is None:
            raise RefusedError("unknown", "The workflow is gone.")
        if flow.script != proposal.base:
            now = self._house.engine.context.clock.now()
            with self._house.database.write() as db:
                number = keep_unused(db, proposal.workflow, proposal.validated, now)
            return {"workflow": proposal.workflow, "version": number, "applied": False}
        answer = self._house.commands.deploy(proposal.validated, Wish(origin=ScriptOrigin.FIX))
        return {**answer, "applied": True}

    def _attempt(self, problem: Problem, flow: WorkflowRow, row: RunRow, seconds: float) -> Proposal:
        assert self._fixer is not None, "nobody was named to repair it"
        try:
            new = give_back(self._fixer.mend(problem, seconds), problem.script)
        except (NotAskedError, SpentError):
            raise
        except FixerFailedError as error:
            raise _UnusableError([str(error)]) from error
        return self._check(problem, flow, row, new)

    def check(self, run: str, source: str) -> Proposal:
        """A script that somebody proposes for a failed run, held to the same rules; NoFixError says what it breaks."""
        db = self._house.database.read()
        row = find_run(db, run)
        flow = workflows.find(db, row.workflow)
        assert flow is not None
        try:
            return self._check(self.describe(row.id), flow, row, source)
        except _UnusableError as error:
            raise NoFixError(error.sentences) from error

    def _check(self, problem: Problem, flow: WorkflowRow, row: RunRow, new: str) -> Proposal:
        compared = compare(problem.script, new)
        if compared.is_same:
            raise _UnusableError(["The fixer answered with the same script."])
        if compared.refused:
            raise _UnusableError(list(compared.refused))
        try:
            validated = self._house.validation.validate(flow.path, new)
        except NotValidError as error:
            raise _UnusableError(error.sentences) from error
        before = workflows.find_script(self._house.database.read(), row.workflow, row.script)
        assert before is not None
        if refused := compare_described(before.described, validated.described):
            raise _UnusableError(refused)
        if (trouble := self._rehearse(flow.path, new)) is not None:
            raise _UnusableError([f"It fails when it is tried: {trouble}"])
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
            sent=problem.whole,
        )

    def _note(self, row: RunRow, number: int) -> None:
        with self._house.database.write() as db:
            facts.write(db, count_of(row.chain), str(number))

    def _count(self, row: RunRow) -> int:
        return int(facts.read(self._house.database.read(), count_of(row.chain)) or 0)


def describe(db: sqlite3.Connection, row: RunRow, *, private: bool = False) -> Problem:
    if row.status is not Status.LOGIC:
        raise RefusedError("not failed", "Only a run whose script failed can be repaired.")
    script = workflows.find_script(db, row.workflow, row.script)
    assert script is not None
    error = row.error or {}
    show: Callable[[Any], Any] = (lambda value: value) if private else hide_private
    text: Callable[[str], str] = (lambda value: value) if private else hide_in_report
    return Problem(
        script=script.source,
        shown=script.source if private else withhold(script.source),
        error=text(str(error.get("sentence", ""))),
        traceback=text(str(error.get("traceback") or "")),
        handler=row.handler,
        phase=row.phase.value,
        log=logs.read(db, row.id) if private else end_of(logs.read(db, row.id)),
        inputs=show(row.prepared),
    )


class _UnusableError(Exception):
    def __init__(self, sentences: list[str]) -> None:
        super().__init__(" ".join(sentences))
        self.sentences = sentences
