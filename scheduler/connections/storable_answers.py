"""What tools answer, as it can be stored: whatever a connector hands back, an action that was done stays done."""

from dataclasses import replace
from typing import Any

from scheduler.connections.connector import Call, Checked, Tool
from scheduler.connections.json_values import find_problem
from scheduler.connections.mistakes import wrong

_MAX_CHARACTERS = 8_000_000
"""Of what an action answered: it is handed to the script's next phase together with all that the run has prepared."""


def with_storable_answers(tool: Tool) -> Tool:
    """The same tool. What it read and cannot be stored is a failure; what it did is done, with a note instead."""
    check, identify = tool.check, tool.identify_target

    def run(call: Call) -> Any:
        answer = tool.run(call)
        return keep_or_note(answer) if tool.mutating else _require_storable(answer, call)

    def read_target(call: Call) -> Any:
        assert identify is not None
        return _require_storable(identify(call), call)

    def look(call: Call) -> Checked:
        assert check is not None
        found = check(call)
        return replace(found, result=keep_or_note(found.result))

    return replace(
        tool,
        run=run,
        check=None if check is None else look,
        identify_target=None if identify is None else read_target,
    )


def _require_storable(answer: Any, call: Call) -> Any:
    if reason := find_problem(answer):
        raise wrong(f"What {call.connection} answered cannot be used because it {reason}.")
    return answer


def keep_or_note(answer: Any) -> Any:
    """What an action answered, or in its place a note that says why it cannot be stored."""
    reason = find_problem(answer, _MAX_CHARACTERS)
    return {"note": f"Done, but the answer could not be stored because it {reason}."} if reason else answer
