"""A script that breaks is repaired by a fixer behind a real loopback server, or by a real command."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from scheduler.engine.fixing.chat import ChatFixer
from scheduler.engine.fixing.choice import FixerChoice, FixerKind
from scheduler.engine.fixing.command import CommandFixer
from scheduler.engine.fixing.fixer import FixerFailedError, GivenUpError
from scheduler.engine.fixing.fixing import Fixing, NoFixError
from scheduler.engine.fixing.making import make_fixer
from scheduler.engine.fixing.problem import Problem
from scheduler.engine.fixing.repairs import MOST_ATTEMPTS
from scheduler.engine.refusal import RefusedError
from scheduler.engine.runs.tools import NoSecrets
from scheduler.rules.phases import Status
from scheduler.store import workflows
from scheduler.store.workflows import ScriptOrigin
from tests.connections.waiting import wait_until
from tests.connections.web_servers import Asked, Reply, web
from tests.runs.scripts import consumer
from tests.runs.shop import Shop, is_alive

GOOD = consumer()
BROKEN = GOOD.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "')
PROBLEM = Problem(script="import dayhand\n", error="x", handler="C", phase="emitting")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    made = Shop(tmp_path / "data")
    yield made
    made.close()


def failed(shop: Shop, source: str = BROKEN) -> str:
    """The id of the run that failed after it acted."""
    shop.deploy(source)
    shop.publish("a")
    shop.tick()
    run = shop.runs()[-1]
    assert run.status is Status.LOGIC
    return run.id


def answer(*scripts: str) -> list[Reply]:
    return [
        Reply(body=json.dumps({"choices": [{"message": {"content": f"```python\n{script}\n```"}}]}).encode())
        for script in scripts
    ]


@contextmanager
def serving(replies: list[Reply]) -> Iterator[tuple[ChatFixer, list[Asked]]]:
    left = list(replies)
    with web(lambda _: left.pop(0) if len(left) > 1 else left[0]) as server:
        yield ChatFixer(base_url=f"{server.url.rstrip('/')}/v1", model="m", key=lambda: "k3y"), server.asked


def test_a_repair_waits_for_yes_and_goes_on_without_acting_again(shop: Shop) -> None:
    run = failed(shop)
    assert len(shop.world.calls) == 1
    with serving(answer(GOOD)) as (fixer, asked):
        fixing = Fixing(shop.house, fixer)
        proposal = fixing.propose(run)
    shop.tick()
    assert shop.runs()[-1].id == run
    assert '-        ctx.done(1 / 0 * "Did "' in proposal.difference
    assert fixing.apply(proposal)["applied"]
    shop.tick()
    last = shop.runs()[-1]
    assert (last.status, last.summary, last.script) == (Status.COMMITTED, "Did 1", 2)
    assert len(shop.world.calls) == 1
    assert shop.events() == {"a": "consumed"}
    sent = json.loads(asked[0].body)
    assert (asked[0].path, sent["model"], asked[0].headers["Authorization"]) == (
        "/v1/chat/completions",
        "m",
        "Bearer k3y",
    )
    assert "ZeroDivisionError" in sent["messages"][1]["content"]
    script = workflows.find_script(shop.database.read(), "w", 2)
    assert script is not None and script.origin is ScriptOrigin.FIX


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('approve="never"', 'approve="first"', "asks you"),
        ('"world:x", "act"', '"world:x", "send"', "send of world:x"),
        ('["world:x"]', '["world:x", "world:y"]', "connections"),
    ],
)
def test_a_repair_that_takes_more_than_it_was_given_is_refused(shop: Shop, old: str, new: str, reason: str) -> None:
    run = failed(shop)
    assert old in GOOD
    with serving(answer(GOOD.replace(old, new))) as (fixer, asked), pytest.raises(NoFixError, match=reason):
        Fixing(shop.house, fixer).propose(run)
    assert len(asked) == 3
    assert reason in json.loads(asked[1].body)["messages"][1]["content"]
    assert shop.workflow().script == 1


def test_a_setting_behind_a_name_does_not_slip_through(shop: Shop) -> None:
    source = BROKEN.replace("import dayhand", 'import dayhand\nASK = "never"').replace('approve="never"', "approve=ASK")
    run = failed(shop, source)
    sly = source.replace("1 / 0 * ", "").replace('ASK = "never"', 'ASK = "first"')
    with serving(answer(sly)) as (fixer, _), pytest.raises(NoFixError, match="asks you"):
        Fixing(shop.house, fixer).propose(run)


def test_a_changed_id_is_never_applied_without_a_yes(shop: Shop) -> None:
    publishing = (
        GOOD.replace("approve=", "publishes=[u], approve=")
        .replace('t = flow.topic("t")', 't = flow.topic("t")\nu = flow.topic("u")')
        .replace("        return state", '        ctx.publish(u, id="x")\n        return state')
    )
    publishing += (
        "\n@flow.consumer(subscribe=[u])\nclass D:\n    prepare = lambda self, ctx, state: dayhand.nothing()\n"
    )
    run = failed(shop, publishing.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "'))
    with serving(answer(publishing.replace('id="x"', 'id="y"'))) as (fixer, _):
        fixing = Fixing(shop.house, fixer)
        proposal = fixing.propose(run)
    assert "id=" in proposal.asks[0]
    with pytest.raises(RefusedError, match="needs your yes"):
        fixing.apply(proposal, automatic=True)
    assert fixing.apply(proposal)["applied"]


def test_three_answers_in_one_chain_and_no_more(shop: Shop) -> None:
    run = failed(shop)
    replies = [Reply(500), Reply(body=b"nonsense"), *answer(BROKEN)]
    with serving(replies) as (fixer, asked):
        fixing = Fixing(shop.house, fixer)
        with pytest.raises(NoFixError) as caught:
            fixing.propose(run)
        assert len(asked) == 3
        assert [sentence.split(" ", 2)[0] for sentence in caught.value.sentences] == ["The", "The", "The"]
        assert "same script" in caught.value.sentences[2]
        with pytest.raises(NoFixError, match="yourself"):
            fixing.propose(run)
        assert len(asked) == 3


def test_a_second_answer_may_be_right_and_one_that_fails_its_trial_is_not(shop: Shop) -> None:
    run = failed(shop)
    still = GOOD.replace('ctx.done("Did "', 'ctx.done(2 / 0 * "Did "')
    with serving(answer("import dayhand\nflow = (", still, GOOD)) as (fixer, asked):
        fixing = Fixing(shop.house, fixer, rehearse=lambda _, source: "It broke." if "2 / 0" in source else None)
        assert fixing.propose(run).validated.source.strip() == GOOD.strip()
    assert "It fails when it is tried" in json.loads(asked[2].body)["messages"][1]["content"]


def test_a_repair_that_comes_too_late_is_kept_and_not_used(shop: Shop) -> None:
    run = failed(shop)
    with serving(answer(GOOD)) as (fixer, _):
        fixing = Fixing(shop.house, fixer)
        proposal = fixing.propose(run)
    shop.deploy(GOOD + "\n# mine\n")
    assert fixing.apply(proposal) == {"workflow": "w", "version": 3, "applied": False}
    assert shop.workflow().script == 2
    shop.commands.rollback("w", 3)
    assert shop.workflow().script == 4


def test_a_fixer_that_hangs_is_given_up(shop: Shop) -> None:
    release = threading.Event()

    def hang(_: Asked) -> Reply:
        release.wait(60)
        return Reply()

    with web(hang) as server:
        fixer = ChatFixer(base_url=server.url, model="m")
        try:
            with pytest.raises(FixerFailedError, match=r"no answer that can be used\. .* within 0\.5 seconds\."):
                fixer.mend(PROBLEM, 0.49999)
        finally:
            release.set()


def test_an_answer_that_broke_off_counts_as_asked(shop: Shop) -> None:
    """It was heard, and may have cost something; three of them are enough."""
    run = failed(shop)
    with serving([Reply(body=b"x" * 5_000_000)]) as (fixer, asked), pytest.raises(NoFixError, match="more than 4 MB"):
        Fixing(shop.house, fixer).propose(run)
    assert len(asked) == MOST_ATTEMPTS


@pytest.mark.parametrize("body", [b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 7}}]}', b"[]"])
def test_an_answer_in_another_shape_is_said(body: bytes) -> None:
    with serving([Reply(body=body)]) as (fixer, _), pytest.raises(FixerFailedError):
        fixer.mend(PROBLEM, 60)


def test_what_is_sent_can_be_looked_at_and_holds_nothing_private(shop: Shop) -> None:
    run = failed(shop, BROKEN.replace("[event.id for event in batch]", '[{"text": "dear you"}]'))
    fixing = Fixing(shop.house, CommandFixer(["true"]))
    assert "dear you" not in fixing.describe(run).prompt().partition("What it worked on")[2]
    assert "dear you" in fixing.describe(run, private=True).prompt().partition("What it worked on")[2]
    shop.deploy(GOOD)
    shop.tick()
    with pytest.raises(RefusedError, match="Only a run"):
        fixing.describe(shop.runs()[-1].id)


def test_a_secret_in_the_script_is_not_sent_and_not_lost(shop: Shop) -> None:
    broken, good = (f'TOKEN = "hunter2"\n{source}' for source in (BROKEN, GOOD))
    run = failed(shop, broken)
    with serving(answer(good.replace("hunter2", "(secret 1, left out)"))) as (fixer, asked):
        proposal = Fixing(shop.house, fixer).propose(run)
    assert b"hunter2" not in asked[0].body and b"(secret 1, left out)" in asked[0].body
    assert proposal.validated.source.strip() == good.strip()
    assert "hunter2" not in proposal.sent


def test_a_command_reads_the_problem_and_writes_the_script(shop: Shop, tmp_path: Path) -> None:
    run = failed(shop)
    tool = tmp_path / "tool.py"
    tool.write_text(
        "import re, sys\nasked = sys.stdin.read()\n"
        "print(re.findall(r'```python\\n(.*?)```', asked, re.DOTALL)[-1].replace('1 / 0 * ', ''))\n"
    )
    fixing = Fixing(shop.house, CommandFixer([sys.executable, str(tool)]))
    assert fixing.apply(fixing.propose(run))["applied"]
    shop.tick()
    assert shop.runs()[-1].summary == "Did 1"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["no-such-command-here"], "could not be started"),
        (["sh", "-c", "exit 3"], "code 3"),
        (["sh", "-c", "sleep 600 & sleep 600"], "no answer in"),
        (["sh", "-c", "yes dayhand"], "more than a script"),
        (["true"], "no script"),
    ],
)
def test_a_command_that_does_not_help_is_bounded_and_said(command: list[str], reason: str) -> None:
    with pytest.raises(FixerFailedError, match=reason):
        CommandFixer(command).mend(PROBLEM, 1 if "sleep" in command[-1] else 60)


def test_a_repair_costs_no_more_tokens_than_it_may(shop: Shop) -> None:
    run = failed(shop)
    told = {"choices": [{"message": {"content": f"```python\n{BROKEN}\n```"}}], "usage": {"total_tokens": 1_500}}
    with web(lambda _: Reply(body=json.dumps(told).encode())) as server:
        fixer = ChatFixer(base_url=server.url, model="m", tokens=3_000)
        with pytest.raises(NoFixError, match="3000 tokens"):
            Fixing(shop.house, fixer).propose(run)
    assert len(server.asked) == 2
    first, second = (json.loads(one.body)["max_tokens"] for one in server.asked)
    assert second < first < 3_000


@pytest.mark.parametrize(
    "reply",
    [
        Reply(500),
        Reply(body=b"{}"),
        Reply(body=b"x" * 5_000_000),
        *answer("x" * 90),
        Reply(body=json.dumps({"choices": [{"message": {"content": "no"}}], "usage": {"total_tokens": -9}}).encode()),
    ],
    ids=["refused", "misshapen", "broken off", "not counted", "counted wrongly"],
)
def test_what_was_heard_is_paid_for_whether_it_is_of_use_or_not(reply: Reply) -> None:
    """As many tokens as were sent at least, so what is left for an answer shrinks by them."""
    problem = replace(PROBLEM, script="x" * 6_000)
    with web(lambda _: reply) as server:
        fixer = ChatFixer(base_url=server.url, model="m", tokens=8_000)
        for _ in range(2):
            with suppress(FixerFailedError):
                fixer.mend(problem, 60)
    first, second = (json.loads(one.body)["max_tokens"] for one in server.asked)
    assert first - second > 2_000


def test_a_server_that_sends_us_on_is_not_followed() -> None:
    """The key is for one address alone."""
    [told] = answer(GOOD)
    with web(lambda _: told) as other:
        elsewhere = replace(told, status=307, headers={"Location": other.url})
        with serving([elsewhere]) as (fixer, _), pytest.raises(FixerFailedError, match="refused \\(307\\)"):
            fixer.mend(PROBLEM, 60)
    assert other.asked == []


def test_what_is_larger_than_the_limit_is_not_sent(shop: Shop) -> None:
    run = failed(shop)
    with serving(answer(GOOD)) as (_, asked):
        with pytest.raises(NoFixError, match="no room"):
            Fixing(shop.house, ChatFixer(base_url="http://127.0.0.1:9", model="m", tokens=600)).propose(run)
        assert asked == []


def test_a_repair_takes_no_longer_than_it_may(shop: Shop) -> None:
    run = failed(shop)
    with serving(answer(GOOD)) as (fixer, asked), pytest.raises(NoFixError, match="seconds"):
        Fixing(shop.house, fixer, seconds=0).propose(run)
    assert asked == []


def test_nobody_waits_for_a_fixer_that_was_given_up() -> None:
    entered, release = threading.Event(), threading.Event()

    def hang(_: Asked) -> Reply:
        entered.set()
        release.wait(60)
        return Reply()

    with web(hang) as server:
        fixer = ChatFixer(base_url=server.url, model="m")
        giving_up = threading.Thread(target=lambda: (entered.wait(60), fixer.give_up()))
        giving_up.start()
        try:
            with pytest.raises(GivenUpError):
                fixer.mend(PROBLEM, 60)
        finally:
            release.set()
            giving_up.join()


def test_a_command_that_was_given_up_is_ended_with_what_it_started(tmp_path: Path) -> None:
    fixer = CommandFixer(["sh", "-c", f"sleep 600 & echo $! > {tmp_path}/pid; wait"])
    written = tmp_path / "pid"

    def give_up() -> None:
        wait_until(lambda: written.exists() and written.read_text().strip())
        fixer.give_up()

    giving_up = threading.Thread(target=give_up)
    giving_up.start()
    with pytest.raises(GivenUpError):
        fixer.mend(PROBLEM, 600)
    giving_up.join()
    wait_until(lambda: not is_alive(int(written.read_text())))
    with pytest.raises(GivenUpError):
        fixer.mend(PROBLEM, 600)


@pytest.mark.parametrize(
    "fixer", [CommandFixer(["no-such-command-here"]), ChatFixer(base_url="http://127.0.0.1:9", model="m")]
)
def test_a_question_that_nobody_heard_does_not_count(shop: Shop, fixer: CommandFixer | ChatFixer) -> None:
    run = failed(shop)
    for _ in range(4):
        with pytest.raises(NoFixError, match="could not be") as caught:
            Fixing(shop.house, fixer).propose(run)
        assert len(caught.value.sentences) == 1
    with serving(answer(GOOD)) as (other, _):
        assert Fixing(shop.house, other).propose(run).base == 1


def test_a_key_that_cannot_be_had_is_said_and_nothing_is_sent(shop: Shop) -> None:
    run = failed(shop)
    with web(lambda _: Reply()) as server:
        choice = FixerChoice(kind=FixerKind.SERVER, url=server.url, model="m", has_key=True)
        with pytest.raises(NoFixError, match="keyring"):
            Fixing(shop.house, make_fixer(choice, NoSecrets())).propose(run)
    assert server.asked == []
