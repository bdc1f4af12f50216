"""What the runner needs from the parts above it: repairs of failed scripts, and whoever is told about runs."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from scheduler.engine.runs.attempt import Attempt
from scheduler.engine.script_plan import HandlerPlan, ScriptPlan
from scheduler.store.requests import RequestRow


class RepairService(Protocol):
    def repair_failed_run(self, db: sqlite3.Connection, run: str, now: datetime) -> None:
        """A run has failed, in the caller's transaction: start a repair if a fixer is set up."""

    def recover(self, db: sqlite3.Connection, now: datetime) -> None:
        """After a restart: continue repairs, or leave them to the user."""

    def accept(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        """The user approved a repair, or one that was applied without asking."""

    def decline(self, db: sqlite3.Connection, row: RequestRow, now: datetime) -> None:
        """The user rejected it."""


class RunObserver(Protocol):
    """Its methods neither fail nor wait."""

    def run_started(self, attempt: Attempt) -> None:
        """It is recorded and begins, for the first time or again."""

    def run_ended(self, plan: ScriptPlan, handler: HandlerPlan, run: str, db: sqlite3.Connection | None = None) -> None:
        """Its end or its wait is recorded, in the caller's transaction if that is given."""


@dataclass(frozen=True, slots=True)
class RunServices:
    repairs: RepairService
    observer: RunObserver
