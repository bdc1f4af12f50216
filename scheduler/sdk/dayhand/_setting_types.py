"""What settings may be, for the editor and type checker of the author; not loaded when a script runs."""

from __future__ import annotations

from typing import Any, Literal, Union

Names = Union[list[str], tuple[str, ...]]
"""Not any sequence: a string is one, too."""
Calendar = dict[str, Any]

Overlap = Literal["skip", "buffer_one", "buffer_all", "cancel_other", "terminate_other", "allow_all"]
Catchup = Literal["none", "one", "all", "spread"]
Need = Literal["network", "power", "unmetered"]
Approve = Literal["always", "first", "never"]
OnExpiry = Literal["reject", "leave"]
AfterCrash = Literal["next", "again", "ask", "never"]
Origin = Literal["automatic", "manual", "backfill", "deploy", "event"]
Outcome = Literal["applied", "skipped", "none"]
QuestionKind = Literal["text", "choice", "yes_no", "number", "date"]
