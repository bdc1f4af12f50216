"""What only the user may do, and what everybody else is told."""

from scheduler.engine.refusal import RefusedError
from scheduler.workers.origin import Origin, own_origin

CODE = "script"
STARTED_BY_SCRIPT = "A script started Dayhand, so it takes no answers. Quit it and start it yourself."


def refuse_verb(verb: str, origin: Origin) -> RefusedError:
    """Why a command of that origin is not carried out."""
    if origin is Origin.SCRIPT:
        return RefusedError(CODE, f"{verb} is for you alone; scripts and what they start may only look and publish.")
    return RefusedError(
        CODE, f"{verb} is for you alone, and Dayhand cannot tell who started this command. Type it in a terminal."
    )


def refuse_scripts(verb: str) -> None:
    """RefusedError unless the user started this process; for commands that no running app carries out."""
    origin = own_origin()
    if origin is not Origin.USER:
        raise refuse_verb(verb, origin)


def refuse_app_of_script() -> RefusedError:
    return RefusedError(CODE, STARTED_BY_SCRIPT)
