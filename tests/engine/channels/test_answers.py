"""An answer through a channel counts once, for exactly what was asked, and only from whoever may give it."""

from datetime import timedelta
from typing import Any

import pytest

from scheduler.engine.channels.answers import MAX_WRONG_CODES
from scheduler.engine.errors import RefusedError
from scheduler.rules.failures import FailureClass
from scheduler.store import grants, requests
from scheduler.store.grants import GrantKind
from scheduler.store.requests import RequestRow
from tests.engine.channels.channel_runtime import OPEN, PIN, PROVED, STEP, ChannelRuntime
from tests.runs.runtime_fixture import fail

HOUR = timedelta(hours=1)


def row_of(runtime: ChannelRuntime, request: RequestRow) -> RequestRow:
    row = requests.find(runtime.database.read(), request.id)
    assert row is not None
    return row


def set_rules(runtime: ChannelRuntime, channel: str = PROVED, **rules: Any) -> None:
    from scheduler.engine.channels.stored_rules import save_rules
    from scheduler.rules.channels import parse_rules

    with runtime.database.write() as db:
        save_rules(db, channel, parse_rules(rules))


def test_an_approval_acts_once_and_says_where_it_came_from(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    message = runtime.send(request)
    assert runtime.press(message, "approve").result == "done"
    runtime.tick()
    assert runtime.calls() == 1
    assert (row_of(runtime, request).answer, row_of(runtime, request).answered_from) == ("yes", PROVED)


def test_a_rejection_says_where_it_came_from_and_nothing_is_done(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    assert runtime.press(runtime.send(request, OPEN), "reject", OPEN).result == "done"
    runtime.tick()
    assert runtime.calls() == 0
    assert (row_of(runtime, request).answer, row_of(runtime, request).answered_from) == ("no", OPEN)


def test_a_token_counts_once(runtime: ChannelRuntime) -> None:
    message = runtime.send(runtime.ask())
    assert runtime.press(message, "approve").result == "done"
    for label in ("approve", "reject"):
        again = runtime.press(message, label)
        assert (again.result, "already answered" in again.sentence) == ("refused", True)
    runtime.tick()
    assert runtime.calls() == 1


def test_a_token_does_not_count_after_an_answer_at_the_computer(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    message = runtime.send(request)
    runtime.request_commands.reject(request.id)
    assert runtime.press(message, "approve").result == "refused"
    runtime.tick()
    assert runtime.calls() == 0
    assert row_of(runtime, request).answered_from is None


def test_a_token_does_not_count_from_another_channel(runtime: ChannelRuntime) -> None:
    message = runtime.send(runtime.ask(), OPEN)
    [reject] = [one for one in message.buttons if one.label == "reject"]
    assert runtime.answers.press(PROVED, reject.payload).result == "ignored"
    assert len(runtime.requests()) == 1


def test_a_token_expires(runtime: ChannelRuntime) -> None:
    message = runtime.send(runtime.ask())
    runtime.clock.move(25 * HOUR)
    assert runtime.press(message, "approve").result == "refused"
    assert len(runtime.requests()) == 1


def test_a_token_does_not_count_for_another_call(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    message = runtime.send(request)
    with runtime.database.write() as db:
        db.execute("UPDATE requests SET hash = 'other' WHERE id = ?", (request.id,))
    assert "changed" in runtime.press(message, "approve").sentence
    assert len(runtime.requests()) == 1


def test_a_guessed_or_altered_token_is_not_even_answered(runtime: ChannelRuntime) -> None:
    message = runtime.send(runtime.ask())
    payload = message.buttons[0].payload
    for forged in (payload[:-1], f"{payload}A", "approve.", "approve", ""):
        assert runtime.answers.press(PROVED, forged).result == "ignored", forged
    for other in ("happened", "always"):
        altered = payload.replace("approve.", f"{other}.")
        assert runtime.answers.press(PROVED, altered).result == "refused"
    assert len(runtime.requests()) == 1


def test_tokens_have_nothing_in_common_and_are_stored_as_hashes(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    tokens = {runtime.send(request).buttons[0].payload.partition(".")[2] for _ in range(20)}
    assert len(tokens) == 20
    assert all(len(token) * 6 >= 128 for token in tokens)
    stored = "\n".join(runtime.database.read().iterdump())
    assert not any(token in stored for token in tokens)


def test_an_approval_from_a_phone_is_never_standing(runtime: ChannelRuntime) -> None:
    """Not even if the script asks only the first time: the user may not have seen all of it."""
    assert runtime.press(runtime.send(runtime.ask(approve="first")), "approve").result == "done"
    runtime.tick()
    runtime.publish("b", {})
    runtime.tick()
    assert len(runtime.requests()) == 1
    assert not grants.has(runtime.database.read(), "w", "C", "world:x", "act", GrantKind.APPROVAL)


def test_without_a_proof_of_the_sender_a_press_is_not_enough(runtime: ChannelRuntime) -> None:
    message = runtime.send(runtime.ask(), OPEN)
    assert runtime.press(message, "approve", OPEN).result == "needs code"
    runtime.tick()
    assert runtime.calls() == 0
    assert runtime.write(runtime.show_code(), OPEN).result == "done"
    runtime.tick()
    assert runtime.calls() == 1


def test_without_an_authenticator_app_approving_is_not_offered(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    runtime.connect(code=False)
    assert [one.label for one in runtime.send(request, OPEN).buttons] == ["reject"]
    assert [one.label for one in runtime.send(request, PROVED).buttons] == ["approve", "reject"]


def test_without_a_four_digit_code_none_is_asked_for_unless_the_user_wants_it_always(runtime: ChannelRuntime) -> None:
    request = runtime.ask("send")
    runtime.connect(code=False)
    message = runtime.send(request)
    set_rules(runtime, code="always")
    assert [one.label for one in runtime.send(request).buttons] == ["reject"]
    set_rules(runtime, code="lasting")
    assert runtime.press(message, "approve").result == "done"


def test_a_code_counts_once_even_if_nothing_waited_for_it(runtime: ChannelRuntime) -> None:
    message = runtime.send(runtime.ask(), OPEN)
    code = runtime.show_code()
    assert runtime.write(code, OPEN).result == "ignored"
    runtime.press(message, "approve", OPEN)
    assert runtime.write(code, OPEN).result == "refused"
    runtime.clock.move(STEP)
    assert runtime.write(runtime.show_code(), OPEN).result == "done"


def test_somebody_who_presses_other_buttons_cannot_have_them_confirmed(runtime: ChannelRuntime) -> None:
    """The user's code never counts for an answer that the user did not mean."""
    request = runtime.ask()
    meant, other = runtime.send(request, OPEN, "Meant"), runtime.send(request, OPEN, "Other")
    runtime.press(meant, "approve", OPEN)
    runtime.press(other, "approve", OPEN)
    refused = runtime.write(runtime.show_code(), OPEN)
    assert (refused.result, "not clear" in refused.sentence) == ("refused", True)
    assert len(runtime.requests()) == 1
    runtime.clock.move(STEP)
    assert runtime.write(runtime.show_code(), OPEN).result == "ignored"  # nothing waits for it any more


def test_a_code_does_not_count_if_messages_may_have_been_missed(runtime: ChannelRuntime) -> None:
    """Something misleading may have been published while nobody listened."""
    runtime.press(runtime.send(runtime.ask(), OPEN), "approve", OPEN)
    runtime.clock.move(timedelta(seconds=1))
    runtime.listening_since = runtime.clock.wall
    assert runtime.write(runtime.show_code(), OPEN).result == "refused"
    assert len(runtime.requests()) == 1


def test_wrong_codes_lock_the_channel_for_everything_but_rejections(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    message = runtime.send(request, OPEN)
    runtime.press(message, "approve", OPEN)
    wrong = next(str(code) for code in range(100_000, 100_010) if str(code) != runtime.show_code())
    for _ in range(MAX_WRONG_CODES):
        assert runtime.write(wrong, OPEN).result == "refused"
    assert runtime.channels.state(OPEN).locked
    assert runtime.write(runtime.show_code(), OPEN).result == "refused"
    assert runtime.press(message, "approve", OPEN).result == "refused"
    assert [one.label for one in runtime.send(request, OPEN).buttons] == ["reject"]
    runtime.answers.unlock(OPEN)
    runtime.clock.move(STEP)
    runtime.press(message, "approve", OPEN)
    assert runtime.write(runtime.show_code(), OPEN).result == "done"


def test_a_four_digit_code_confirms_what_cannot_be_undone(runtime: ChannelRuntime) -> None:
    """Here the service proves that the user wrote it."""
    message = runtime.send(runtime.ask("send"))
    assert runtime.press(message, "approve").result == "needs code"
    assert runtime.write("hello").result == "ignored"
    assert runtime.write("0000").result == "refused"
    assert runtime.write(PIN).result == "done"
    runtime.tick()
    assert runtime.calls() == 1


@pytest.mark.parametrize(
    ("rule", "tool", "result"),
    [
        ("never", "send", "done"),
        ("lasting", "act", "done"),
        ("lasting", "send", "needs code"),
        ("always", "act", "needs code"),
    ],
)
def test_when_a_code_is_asked_for(runtime: ChannelRuntime, rule: str, tool: str, result: str) -> None:
    set_rules(runtime, code=rule)
    assert runtime.press(runtime.send(runtime.ask(tool)), "approve").result == result


@pytest.mark.parametrize("answer", ["happened", "not-happened"])
def test_what_happened_can_be_answered(runtime: ChannelRuntime, answer: str) -> None:
    runtime.service.fails = [fail(FailureClass.UNSURE)]
    runtime.request_commands.approve(runtime.ask("blind").id)
    runtime.tick()
    [request] = runtime.requests()
    pressed = runtime.press(runtime.send(request), answer)
    if answer == "not-happened":  # it would be done again
        assert pressed.result == "needs code"
        pressed = runtime.write(PIN)
    assert pressed.result == "done"
    assert (row_of(runtime, request).answer, row_of(runtime, request).answered_from) == (answer, PROVED)
    runtime.tick()
    assert runtime.calls() == (2 if answer == "not-happened" else 1)


def test_a_removed_channel_answers_nothing(runtime: ChannelRuntime) -> None:
    message = runtime.send(runtime.ask())
    runtime.services.connection_setup.disconnect(
        PROVED, lambda: runtime.services.grant_commands.remove_connection(PROVED)
    )
    with pytest.raises(RefusedError, match="not a channel"):
        runtime.press(message, "approve")
    runtime.connect()
    assert runtime.press(message, "approve").result == "ignored"


def test_everybody_who_asks_later_is_told_where_the_answer_came_from(runtime: ChannelRuntime) -> None:
    request = runtime.ask()
    runtime.press(runtime.send(request), "approve")
    with pytest.raises(RefusedError, match=r"You approved this .*The answer came through proved:me\."):
        runtime.request_commands.reject(request.id)
