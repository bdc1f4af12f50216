"""What holds up the times behind a blocked lane, in words. Pure."""

from datetime import datetime

from scheduler.rules.handler_ids import name_in_words
from scheduler.rules.requests import Block
from scheduler.user_text import UserText, instant_text

_WAITING_FOR_USER = {
    Block.RECONNECT: UserText("Held up: waiting for you to connect an account."),
    Block.PERMISSION: UserText("Held up: waiting for your permission."),
    Block.UNSURE: UserText("Held up: waiting for your answer."),
    Block.INTERRUPTED: UserText("Held up: waiting for your answer."),
}


def describe_hold_up(
    block: Block,
    *,
    failed_at: datetime | None,
    until: datetime | None = None,
    handler: str | None = None,
    is_checking: bool = False,
) -> str:
    """Why the times behind a blocked lane do not start.

    `handler`: who failed, if it was another handler of the lane. `until`: when the block ends without the user.
    `is_checking`: a tool finds out whether its action happened.
    """
    if is_checking:
        return UserText("Held up: checking whether the last action happened.")
    if until is None and block in _WAITING_FOR_USER:
        return _WAITING_FOR_USER[block]
    if failed_at is None:
        return UserText("Held up: the run before it failed.")
    at = instant_text(failed_at)
    failed = (
        UserText("failed {at}", at=at)
        if handler is None
        else UserText("{name} failed {at}", name=name_in_words(handler), at=at)
    )
    if until is None:
        return UserText("Held up: {failed}.", failed=failed)
    return UserText("Held up: {failed}, next try {until}.", failed=failed, until=instant_text(until))
