"""What to write instead of a name that `ctx` does not have; also used when a script is checked before it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._user_text import UserText

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._context import Context

_HINTS = {
    "call": UserText("read in a producer, prepare or job; act in mutate"),
    "publish": UserText("publish in a producer or in next"),
    "peek": UserText("peek in prepare"),
    "checkpoint": UserText("only a producer has checkpoints; next returns its state"),
    "done": UserText("report what was done in next or in a job; prepare has say="),
    "problem": UserText("report problems in a producer, in next or in a job"),
    "run": UserText("commands run in jobs"),
    "outcome": UserText("only next knows the outcome of the call in mutate"),
    "call_made": UserText("only next knows the call that was made"),
    "reason": UserText("only next knows why the user rejected the call"),
}


def offered_names(kind: type[Context]) -> list[str]:
    """The public names of a phase's `ctx`."""
    return sorted(word for word in dir(kind) if not word.startswith("_") and word != "phase")


def explain_missing_name(kind: type[Context], name: str) -> UserText:
    """The sentence about a name that it does not have."""
    if name in _HINTS:
        return UserText("{phase} cannot use ctx.{name}; {hints}.", phase=kind.phase, name=name, hints=_HINTS[name])
    offered = offered_names(kind)
    near = find_near(name, offered)
    if near is not None:
        return UserText("ctx has no {name}; did you mean {near}?", name=name, near=near)
    return UserText(
        "ctx has no {name}; in {phase} it offers {offered}.", name=name, phase=kind.phase, offered=", ".join(offered)
    )


def find_near(name: str, known: Iterable[str]) -> str | None:
    """The name that was probably meant, also if only its case is wrong."""
    import difflib  # noqa: PLC0415  only needed for mistakes

    by_case = {one.casefold(): one for one in known}
    near = difflib.get_close_matches(name.casefold(), by_case, 1)
    return by_case[near[0]] if near else None
