"""Refuses commands that only the user may give when a script, or an unknown process, gives them."""

from scheduler.engine.errors import RefusedError
from scheduler.user_text import UserText
from scheduler.workers.origin import ProcessOrigin, own_origin

REFUSAL_CODE = "script"
STARTED_BY_SCRIPT = UserText(
    "Dayhand was started by a script, so it accepts no answers. Quit it and start it yourself."
)


def make_refusal(verb: str, origin: ProcessOrigin) -> RefusedError:
    """The reason why a command of that origin is not carried out."""
    if origin is ProcessOrigin.SCRIPT:
        return RefusedError(
            REFUSAL_CODE,
            UserText(
                "Only you can use {verb}; scripts and programs that they start can only read and publish.", verb=verb
            ),
        )
    return RefusedError(
        REFUSAL_CODE,
        UserText(
            "Only you can use {verb}, and Dayhand cannot tell who started this command. Run it in a terminal.",
            verb=verb,
        ),
    )


def require_user(verb: str) -> None:
    """Raise RefusedError unless the user started this process; for commands that run without the app."""
    origin = own_origin()
    if origin is not ProcessOrigin.USER:
        raise make_refusal(verb, origin)


def make_script_app_refusal() -> RefusedError:
    return RefusedError(REFUSAL_CODE, STARTED_BY_SCRIPT)
