"""Where in the script something happened."""

from __future__ import annotations

import os
import sys
from types import TracebackType
from typing import Any

_HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def is_ours(file: str) -> bool:
    """Whether a file belongs to this package and not to the script."""
    return os.path.abspath(file).startswith(_HERE)


def caller() -> tuple[str, int]:
    """File and line of the innermost frame outside this package."""
    frame = sys._getframe(1)  # noqa: SLF001  the public way costs far more
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def definition_of(function: Any) -> tuple[str, int] | None:
    """File and line of a function; None if it is not Python."""
    code = getattr(function, "__code__", None)
    return None if code is None else (code.co_filename, code.co_firstlineno)


def last_line(trace: TracebackType | None, script: str) -> int | None:
    """The innermost line of the script in a traceback."""
    line = None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == script:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def format_traceback(error: BaseException, script: str) -> str:
    """The traceback as text, with the script's own lines only."""
    import traceback  # noqa: PLC0415  only needed when something failed

    whole: traceback.TracebackException | None = traceback.TracebackException.from_exception(error)
    assert whole is not None
    chain: list[traceback.TracebackException] = [whole]
    for one in chain:
        kept = [frame for frame in one.stack if frame.filename == script]
        one.stack = traceback.StackSummary.from_list(kept)
        chain += [other for other in (one.__cause__, one.__context__) if other is not None and other not in chain]
    return "".join(whole.format())
