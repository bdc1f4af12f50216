"""A failed script is repaired by a fixer on a real loopback server, or by a real command."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.secrets import NoSecrets
from scheduler.engine.errors import RefusedError
from scheduler.engine.fixer_config import FixerConfig, FixerKind
from scheduler.engine.repair.auto_repair import MAX_ATTEMPTS
from scheduler.engine.repair.chat_fixer import ChatFixer
from scheduler.engine.repair.command_fixer import CommandFixer
from scheduler.engine.repair.failure_report import FailureReport
from scheduler.engine.repair.fixer import Fixer, FixerFailedError, RepairCancelledError
from scheduler.engine.repair.proposals import Proposal
from scheduler.engine.repair.proposer import NoRepairError, RepairProposer, apply_proposal, make_fixer
from scheduler.rules.phases import RunPhase, RunStatus
from scheduler.store import workflows
from scheduler.store.workflows import ScriptOrigin
from tests.connections.waiting import wait_until
from tests.connections.web_servers import ReceivedRequest, Reply, http_server
from tests.killing import is_alive
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import consumer

GOOD = consumer()
BROKEN = GOOD.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "')
PROBLEM = FailureReport(script="import dayhand\n", error="x", handler="C", phase=RunPhase.EMITTING)


@pytest.fixture
def runtime(tmp_path: Path) -> Iterator[RuntimeFixture]:
    made = RuntimeFixture(tmp_path / "data")
    yield made
    made.close()


def make_failed_run(runtime: RuntimeFixture, source: str = BROKEN) -> str:
    """Deploy a script that fails after its action; returns the id of the run."""
    runtime.deploy(source)
    runtime.publish("a")
    runtime.tick()
    run = runtime.runs()[-1]
    assert run.status is RunStatus.LOGIC
    return run.id


def make_proposer(runtime: RuntimeFixture, fixer: Fixer, **options: Any) -> RepairProposer:
    return RepairProposer(runtime.database, runtime.services.validation, fixer, **options)


def apply(runtime: RuntimeFixture, proposal: Proposal, **options: Any) -> dict[str, Any]:
    return apply_proposal(runtime.engine.context, runtime.commands, proposal, **options)


def answer(*scripts: str) -> list[Reply]:
    return [
        Reply(body=json.dumps({"choices": [{"message": {"content": f"```python\n{script}\n```"}}]}).encode())
        for script in scripts
    ]


@contextmanager
def serving(replies: list[Reply]) -> Iterator[tuple[ChatFixer, list[ReceivedRequest]]]:
    left = list(replies)
    with http_server(lambda _: left.pop(0) if len(left) > 1 else left[0]) as server:
        yield ChatFixer(base_url=f"{server.url.rstrip('/')}/v1", model="m", key=lambda: "k3y"), server.requests


def test_a_repair_waits_for_approval_and_continues_without_acting_again(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    assert len(runtime.service.calls) == 1
    with serving(answer(GOOD)) as (fixer, requests):
        fixing = make_proposer(runtime, fixer)
        proposal = fixing.propose(run)
    runtime.tick()
    assert runtime.runs()[-1].id == run
    assert '-        ctx.done(1 / 0 * "Did "' in proposal.difference
    assert apply(runtime, proposal)["applied"]
    runtime.tick()
    last = runtime.runs()[-1]
    assert (last.status, last.summary, last.script) == (RunStatus.COMMITTED, "Did 1", 2)
    assert len(runtime.service.calls) == 1
    assert runtime.events() == {"a": "consumed"}
    sent = json.loads(requests[0].body)
    assert (requests[0].path, sent["model"], requests[0].headers["Authorization"]) == (
        "/v1/chat/completions",
        "m",
        "Bearer k3y",
    )
    assert "ZeroDivisionError" in sent["messages"][1]["content"]
    script = workflows.find_script(runtime.database.read(), "w", 2)
    assert script is not None and script.origin is ScriptOrigin.FIX


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('approve="never"', 'approve="first"', "asks you"),
        ('"world:x", "act"', '"world:x", "send"', "send of world:x"),
        ('["world:x"]', '["world:x", "world:y"]', "connections"),
    ],
)
def test_a_repair_with_more_rights_is_refused(runtime: RuntimeFixture, old: str, new: str, reason: str) -> None:
    run = make_failed_run(runtime)
    assert old in GOOD
    with serving(answer(GOOD.replace(old, new))) as (fixer, requests), pytest.raises(NoRepairError, match=reason):
        make_proposer(runtime, fixer).propose(run)
    assert len(requests) == 3
    assert reason in json.loads(requests[1].body)["messages"][1]["content"]
    assert runtime.workflow().script == 1


def test_a_setting_behind_a_name_is_refused(runtime: RuntimeFixture) -> None:
    source = BROKEN.replace("import dayhand", 'import dayhand\nASK = "never"').replace('approve="never"', "approve=ASK")
    run = make_failed_run(runtime, source)
    evasive = source.replace("1 / 0 * ", "").replace('ASK = "never"', 'ASK = "first"')
    with serving(answer(evasive)) as (fixer, _), pytest.raises(NoRepairError, match="asks you"):
        make_proposer(runtime, fixer).propose(run)


def test_a_changed_id_is_never_applied_without_approval(runtime: RuntimeFixture) -> None:
    publishing = (
        GOOD.replace("approve=", "publishes=[u], approve=")
        .replace('t = flow.topic("t")', 't = flow.topic("t")\nu = flow.topic("u")')
        .replace("        return state", '        ctx.publish(u, id="x")\n        return state')
    )
    publishing += (
        "\n@flow.consumer(subscribe=[u])\nclass D:\n    prepare = lambda self, ctx, state: dayhand.nothing()\n"
    )
    run = make_failed_run(runtime, publishing.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "'))
    with serving(answer(publishing.replace('id="x"', 'id="y"'))) as (fixer, _):
        fixing = make_proposer(runtime, fixer)
        proposal = fixing.propose(run)
    assert "id=" in proposal.asks[0]
    with pytest.raises(RefusedError, match="needs your approval"):
        apply(runtime, proposal, automatic=True)
    assert apply(runtime, proposal)["applied"]


def test_a_fixer_is_asked_three_times_per_chain(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    replies = [Reply(500), Reply(body=b"nonsense"), *answer(BROKEN)]
    with serving(replies) as (fixer, requests):
        fixing = make_proposer(runtime, fixer)
        with pytest.raises(NoRepairError) as caught:
            fixing.propose(run)
        assert len(requests) == 3
        assert [sentence.split(" ", 2)[0] for sentence in caught.value.sentences] == ["The", "The", "The"]
        assert "same script" in caught.value.sentences[2]
        with pytest.raises(NoRepairError, match="yourself"):
            fixing.propose(run)
        assert len(requests) == 3


def test_an_answer_that_fails_its_dry_run_is_refused_and_the_next_one_used(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    still = GOOD.replace('ctx.done("Did "', 'ctx.done(2 / 0 * "Did "')
    with serving(answer("import dayhand\nflow = (", still, GOOD)) as (fixer, requests):
        fixing = make_proposer(runtime, fixer, dry_run=lambda _, source: "It broke." if "2 / 0" in source else None)
        assert fixing.propose(run).validated.source.strip() == GOOD.strip()
    assert "It fails in a test run" in json.loads(requests[2].body)["messages"][1]["content"]


def test_a_repair_that_comes_too_late_is_kept_and_not_used(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    with serving(answer(GOOD)) as (fixer, _):
        fixing = make_proposer(runtime, fixer)
        proposal = fixing.propose(run)
    runtime.deploy(GOOD + "\n# mine\n")
    assert apply(runtime, proposal) == {"workflow": "w", "version": 3, "applied": False}
    assert runtime.workflow().script == 2
    runtime.commands.rollback("w", 3)
    assert runtime.workflow().script == 4


def test_a_hanging_fixer_times_out(runtime: RuntimeFixture) -> None:
    release = threading.Event()

    def hang(_: ReceivedRequest) -> Reply:
        release.wait(60)
        return Reply()

    with http_server(hang) as server:
        fixer = ChatFixer(base_url=server.url, model="m")
        try:
            with pytest.raises(FixerFailedError, match=r"no usable answer\. .* within 0\.5 seconds\."):
                fixer.repair(PROBLEM, 0.49999)
        finally:
            release.set()


def test_an_interrupted_answer_counts_as_an_attempt(runtime: RuntimeFixture) -> None:
    """It was received and may have cost money; three of them are enough."""
    run = make_failed_run(runtime)
    with (
        serving([Reply(body=b"x" * 5_000_000)]) as (fixer, requests),
        pytest.raises(NoRepairError, match="more than 4 MB"),
    ):
        make_proposer(runtime, fixer).propose(run)
    assert len(requests) == MAX_ATTEMPTS


@pytest.mark.parametrize("body", [b"{}", b'{"choices": []}', b'{"choices": [{"message": {"content": 7}}]}', b"[]"])
def test_a_malformed_answer_is_refused(body: bytes) -> None:
    with serving([Reply(body=body)]) as (fixer, _), pytest.raises(FixerFailedError):
        fixer.repair(PROBLEM, 60)


def test_what_is_sent_can_be_reviewed_and_holds_nothing_private(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime, BROKEN.replace("[event.id for event in batch]", '[{"text": "dear you"}]'))
    fixing = make_proposer(runtime, CommandFixer(["true"]))
    assert "dear you" not in fixing.describe(run).prompt().partition("What it worked on")[2]
    assert "dear you" in fixing.describe(run, private=True).prompt().partition("What it worked on")[2]
    runtime.deploy(GOOD)
    runtime.tick()
    with pytest.raises(RefusedError, match="Only a run"):
        fixing.describe(runtime.runs()[-1].id)


def test_a_secret_in_the_script_is_not_sent_and_not_lost(runtime: RuntimeFixture) -> None:
    broken, good = (f'TOKEN = "hunter2"\n{source}' for source in (BROKEN, GOOD))
    run = make_failed_run(runtime, broken)
    with serving(answer(good.replace("hunter2", "(secret 1, left out)"))) as (fixer, requests):
        proposal = make_proposer(runtime, fixer).propose(run)
    assert b"hunter2" not in requests[0].body and b"(secret 1, left out)" in requests[0].body
    assert proposal.validated.source.strip() == good.strip()
    assert "hunter2" not in proposal.sent


def test_a_command_reads_the_problem_and_writes_the_script(runtime: RuntimeFixture, tmp_path: Path) -> None:
    run = make_failed_run(runtime)
    tool = tmp_path / "tool.py"
    tool.write_text(
        "import re, sys\nrequest = sys.stdin.read()\n"
        "print(re.findall(r'```python\\n(.*?)```', request, re.DOTALL)[-1].replace('1 / 0 * ', ''))\n"
    )
    fixing = make_proposer(runtime, CommandFixer([sys.executable, str(tool)]))
    assert apply(runtime, fixing.propose(run))["applied"]
    runtime.tick()
    assert runtime.runs()[-1].summary == "Did 1"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["no-such-command-here"], "could not be started"),
        (["sh", "-c", "exit 3"], "code 3"),
        (["sh", "-c", "sleep 600 & sleep 600"], "did not answer within"),
        (["sh", "-c", "yes dayhand"], "too long for a script"),
        (["true"], "no script"),
    ],
)
def test_a_useless_command_is_limited_and_reported(command: list[str], reason: str) -> None:
    with pytest.raises(FixerFailedError, match=reason):
        CommandFixer(command).repair(PROBLEM, 1 if "sleep" in command[-1] else 60)


def test_a_repair_stays_within_its_token_limit(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    told = {"choices": [{"message": {"content": f"```python\n{BROKEN}\n```"}}], "usage": {"total_tokens": 1_500}}
    with http_server(lambda _: Reply(body=json.dumps(told).encode())) as server:
        fixer = ChatFixer(base_url=server.url, model="m", tokens=3_000)
        with pytest.raises(NoRepairError, match="3000 tokens"):
            make_proposer(runtime, fixer).propose(run)
    assert len(server.requests) == 2
    first, second = (json.loads(one.body)["max_tokens"] for one in server.requests)
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
def test_every_answer_costs_tokens_usable_or_not(reply: Reply) -> None:
    """At least as many tokens as were sent, which leaves fewer for the next answer."""
    problem = replace(PROBLEM, script="x" * 6_000)
    with http_server(lambda _: reply) as server:
        fixer = ChatFixer(base_url=server.url, model="m", tokens=8_000)
        for _ in range(2):
            with suppress(FixerFailedError):
                fixer.repair(problem, 60)
    first, second = (json.loads(one.body)["max_tokens"] for one in server.requests)
    assert first - second > 2_000


def test_redirects_are_not_followed() -> None:
    """The key is only for one address."""
    [told] = answer(GOOD)
    with http_server(lambda _: told) as other:
        elsewhere = replace(told, status=307, headers={"Location": other.url})
        with serving([elsewhere]) as (fixer, _), pytest.raises(FixerFailedError, match="refused the request \\(307\\)"):
            fixer.repair(PROBLEM, 60)
    assert other.requests == []


def test_a_prompt_beyond_the_limit_is_not_sent(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    with serving(answer(GOOD)) as (_, requests):
        with pytest.raises(NoRepairError, match="no room"):
            make_proposer(runtime, ChatFixer(base_url="http://127.0.0.1:9", model="m", tokens=600)).propose(run)
        assert requests == []


def test_a_repair_stays_within_its_time_limit(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    with serving(answer(GOOD)) as (fixer, requests), pytest.raises(NoRepairError, match="seconds"):
        make_proposer(runtime, fixer, seconds=0).propose(run)
    assert requests == []


def test_a_cancelled_fixer_is_not_waited_for() -> None:
    entered, release = threading.Event(), threading.Event()

    def hang(_: ReceivedRequest) -> Reply:
        entered.set()
        release.wait(60)
        return Reply()

    with http_server(hang) as server:
        fixer = ChatFixer(base_url=server.url, model="m")
        giving_up = threading.Thread(target=lambda: (entered.wait(60), fixer.cancel()))
        giving_up.start()
        try:
            with pytest.raises(RepairCancelledError):
                fixer.repair(PROBLEM, 60)
        finally:
            release.set()
            giving_up.join()


def test_a_cancelled_command_is_killed_with_its_children(tmp_path: Path) -> None:
    fixer = CommandFixer(["sh", "-c", f"sleep 600 & echo $! > {tmp_path}/pid; wait"])
    written = tmp_path / "pid"

    def give_up() -> None:
        wait_until(lambda: written.exists() and written.read_text().strip())
        fixer.cancel()

    giving_up = threading.Thread(target=give_up)
    giving_up.start()
    with pytest.raises(RepairCancelledError):
        fixer.repair(PROBLEM, 600)
    giving_up.join()
    wait_until(lambda: not is_alive(int(written.read_text())))
    with pytest.raises(RepairCancelledError):
        fixer.repair(PROBLEM, 600)


@pytest.mark.parametrize(
    "fixer", [CommandFixer(["no-such-command-here"]), ChatFixer(base_url="http://127.0.0.1:9", model="m")]
)
def test_an_unreachable_fixer_does_not_count_as_an_attempt(
    runtime: RuntimeFixture, fixer: CommandFixer | ChatFixer
) -> None:
    run = make_failed_run(runtime)
    for _ in range(4):
        with pytest.raises(NoRepairError, match="could not be") as caught:
            make_proposer(runtime, fixer).propose(run)
        assert len(caught.value.sentences) == 1
    with serving(answer(GOOD)) as (other, _):
        assert make_proposer(runtime, other).propose(run).base == 1


def test_an_unreadable_key_is_reported_and_nothing_is_sent(runtime: RuntimeFixture) -> None:
    run = make_failed_run(runtime)
    with http_server(lambda _: Reply()) as server:
        choice = FixerConfig(kind=FixerKind.SERVER, url=server.url, model="m", has_key=True)
        with pytest.raises(NoRepairError, match="keyring"):
            make_proposer(runtime, make_fixer(choice, NoSecrets())).propose(run)
    assert server.requests == []
