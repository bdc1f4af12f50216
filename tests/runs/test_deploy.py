"""Deploy: stores a new version and updates everything that depends on it in the same transaction."""

from datetime import datetime
from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.deployment import DeployOptions
from scheduler.store import workflows
from tests.clocks import ManualClock
from tests.engine.engine_fixture import HOUR, MINUTE, SECOND
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import HEAD, job, producer


def refusal(act: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*args, **options)
    return str(refused.value)


def later(source: str) -> str:
    """The same workflow in another version."""
    return f"{source}\n# another version\n"


def test_the_first_deploy_runs_producers_and_consumers_once(runtime: RuntimeFixture) -> None:
    """Each producer runs now, each consumer prepares once, jobs wait for their time."""
    answer = runtime.deploy(producer() + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n")
    assert (answer["workflow"], answer["version"], answer["warnings"]) == ("w", 1, [])
    assert [(one["handler"], one["next"]) for one in answer["schedules"]] == [
        ("p", "2026-11-16T11:00:00Z"),
        ("j", "2026-11-16T11:00:00Z"),
    ]
    assert all(one["words"] for one in answer["schedules"])
    runtime.pass_time(10 * MINUTE)
    assert sorted((run.handler, run.trigger) for run in runtime.runs()) == [("C", "event"), ("p", "deploy")]
    runtime.deploy(later(producer()))
    runtime.pass_time(10 * MINUTE)
    assert len(runtime.runs("p")) == 1, "only the first deploy"
    assert len(runtime.runs("C")) == 2, "a consumer runs after each"


def test_the_run_after_the_first_deploy_can_be_turned_off(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer(run_on_deploy=False))  # type: ignore[arg-type]
    runtime.pass_time(10 * MINUTE)
    assert runtime.runs("p") == []
    runtime.pass_time(HOUR)
    assert [run.trigger for run in runtime.runs("p")] == ["automatic"]


def test_a_workflow_deployed_paused_runs_nothing_until_resumed(runtime: RuntimeFixture) -> None:
    """Nothing queues up; the catch-up policy decides about missed times."""
    runtime.deploy(job("pass"), paused=True)
    runtime.pass_time(3.5 * HOUR)
    assert (runtime.states("j"), runtime.runs()) == ([], [])
    runtime.commands.resume("w")
    runtime.tick()
    assert [(f"{row.planned:%H:%M}", row.late) for row in runtime.occurrences("j")] == [("13:00", True)]


def test_a_new_handler_of_a_paused_workflow_does_not_run(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    runtime.commands.pause("w")
    runtime.deploy(job("pass") + "\n@flow.job(every='1h')\ndef k(ctx):\n    pass\n")
    runtime.pass_time(3 * HOUR)
    assert (runtime.states("j"), runtime.states("k")) == ([], [])


def test_the_anchor_of_an_interval_is_the_first_deploy(runtime: RuntimeFixture) -> None:
    runtime.clock.move(7 * MINUTE)
    runtime.deploy(producer())
    runtime.pass_time(2 * HOUR)
    assert [f"{row.planned:%H:%M}" for row in runtime.occurrences("p")] == ["10:07", "11:07", "12:07"]


def test_the_author_may_set_the_anchor_and_move_it(runtime: RuntimeFixture) -> None:
    """The times do not depend on when it was deployed."""
    runtime.deploy(job("pass", every="6h", anchor="2026-11-01T08:30", timezone="UTC"))
    assert f"{runtime.schedule('j').next_at:%H:%M}" == "14:30"
    runtime.deploy(job("print()", every="6h", anchor="2026-11-01T08:30", timezone="UTC"))
    assert f"{runtime.schedule('j').next_at:%H:%M}" == "14:30"
    runtime.deploy(job("pass", every="6h", anchor="2026-11-01T09:15", timezone="UTC"))
    assert f"{runtime.schedule('j').next_at:%H:%M}" == "15:15"
    runtime.deploy(job("pass", every="6h", anchor="2026-12-24T18:00", timezone="UTC"))
    assert f"{runtime.schedule('j').next_at:%m-%d %H:%M}" == "12-24 18:00", "an anchor ahead is the first time"


def test_deploying_the_same_source_again_changes_nothing(runtime: RuntimeFixture) -> None:
    source = producer()
    first = runtime.deploy(source)
    runtime.tick()
    before = (runtime.workflow(), runtime.schedule("p"), runtime.handler("C"), runtime.runs())
    assert runtime.deploy(source) == first
    runtime.tick()
    assert (runtime.workflow(), runtime.schedule("p"), runtime.handler("C"), runtime.runs()) == before


def test_a_deploy_that_takes_a_second_is_still_one_instant(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job waits for its time, and a producer runs once, however slow the machine is."""
    real_now = ManualClock.now

    def slow_now(clock: ManualClock) -> datetime:
        clock.move(SECOND)
        return real_now(clock)

    monkeypatch.setattr(ManualClock, "now", slow_now)
    runtime.deploy(producer() + "\n@flow.job(every='1h')\ndef j(ctx):\n    pass\n")
    monkeypatch.undo()
    runtime.tick()
    assert [row.origin for row in runtime.occurrences("p")] == ["deploy"]
    assert runtime.occurrences("j") == []


def test_an_unchanged_schedule_keeps_its_next_time_its_anchor_and_its_pause(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", every="2h"))
    runtime.commands.pause("w", "j", note="Later")
    before = runtime.schedule("j")
    runtime.clock.move(45 * MINUTE)
    runtime.deploy(job("print(1)", every="2h"))
    assert runtime.schedule("j") == before and before.paused


def test_a_changed_schedule_is_recomputed_and_stays_paused(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass", cron="0 9 * * *", every=None))  # type: ignore[arg-type]
    runtime.commands.pause("w", "j")
    runtime.deploy(job("pass", cron="30 12 * * *", every=None))  # type: ignore[arg-type]
    row = runtime.schedule("j")
    assert f"{row.next_at:%d %H:%M}" == "16 12:30" and row.paused


def test_a_changed_policy_keeps_the_times(runtime: RuntimeFixture) -> None:
    """The anchor survives."""
    runtime.deploy(job("pass"))
    runtime.clock.move(20 * MINUTE)
    runtime.deploy(job("pass", catchup="all"))
    assert f"{runtime.schedule('j').next_at:%H:%M}" == "11:00" and '"all"' in runtime.schedule("j").policies


def test_a_producer_that_becomes_a_job_keeps_its_times_and_gets_a_lane_of_its_own(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer())
    runtime.tick()
    before = runtime.schedule("p")
    runtime.deploy(job("ctx.done('Done')").replace("def j(", "def p("))
    after = runtime.schedule("p")
    assert (before.kind, after.kind, after.next_at) == ("producer", "job", before.next_at)
    runtime.pass_time(HOUR)
    last = runtime.runs("p")[-1]
    assert (last.kind, last.trigger, last.summary) == ("job", "automatic", "Done")
    assert runtime.lane("p").blocked is None


def test_a_schedule_that_is_removed_and_added_again_starts_over(runtime: RuntimeFixture) -> None:
    both = job("pass") + "@flow.job(every='1h')\ndef k(ctx):\n    pass\n"
    runtime.deploy(both)
    runtime.deploy(job("pass"))
    assert runtime.schedule("k").removed is not None
    runtime.pass_time(HOUR)
    assert (runtime.states("j"), runtime.states("k")) == (["succeeded"], [])
    runtime.clock.move(7 * MINUTE)
    runtime.deploy(later(both))
    runtime.pass_time(HOUR)
    assert [f"{row.planned:%H:%M}" for row in runtime.occurrences("k")] == ["12:07"]


def test_a_schedule_edited_by_the_user_is_kept_until_its_author_changes_it(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    row = runtime.schedule("j")
    runtime.services.schedule_commands.edit("w/j", version=row.version, spec={"every": "3h"})
    runtime.deploy(later(job("pass")))
    assert '"3h"' in runtime.schedule("j").spec or "10800" in runtime.schedule("j").spec
    runtime.deploy(job("pass", every="2h"))
    assert "3h" not in runtime.schedule("j").spec


def test_state_is_kept_by_the_name_of_the_handler(runtime: RuntimeFixture) -> None:
    runtime.deploy(producer("return {'n': state.get('n', 0) + 1}"))
    runtime.tick()
    without = HEAD + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n"
    runtime.deploy(without)
    runtime.deploy(producer("return {'n': state.get('n', 0) + 10}"))
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.state("p")["n"] >= 11


def test_a_workflow_of_that_name_from_another_file_is_refused_without_replace(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"), path="/home/me/w.py")
    sentence = refusal(runtime.deploy, job("print(2)"), path="/home/me/copy.py")
    assert sentence == (
        "There is already a workflow W, from /home/me/w.py. Give this one another name, or deploy it with --replace."
    )
    assert runtime.workflow().script == 1
    assert runtime.deploy(job("print(2)"), path="/home/me/copy.py", replace=True)["version"] == 2
    assert runtime.workflow().path == "/home/me/copy.py"


def test_the_same_source_from_another_file_moves_the_workflow_with_replace(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"), path="a.py")
    runtime.deploy(job("pass"), path="b.py", replace=True)
    assert runtime.workflow().path == "b.py"
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.states("j") == ["succeeded"]


def test_a_deploy_that_is_refused_leaves_everything_as_it_was(
    runtime: RuntimeFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    runtime.deploy(job("pass"))
    monkeypatch.setattr(workflows, "add_script", lambda *_: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(OSError, match="no room"):
        runtime.deploy(job("print(2)"))
    monkeypatch.undo()
    assert runtime.workflow().script == 1
    assert runtime.deploy(job("print(3)"))["version"] == 2
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.log(runtime.runs()[-1].id) == "3\n"


def test_watching_is_kept_until_it_is_turned_off(runtime: RuntimeFixture) -> None:
    runtime.deploy(job("pass"))
    assert not runtime.workflow().watching
    runtime.deploy(job("pass"), watch=True)
    runtime.deploy(job("print(2)"))
    assert runtime.workflow().watching
    runtime.deploy(job("print(2)"), watch=False)
    assert not runtime.workflow().watching
    assert runtime.commands.watch("w", on=True) == {"workflow": "w", "watching": True}
    assert runtime.workflow().watching


def test_the_same_request_deploys_once(runtime: RuntimeFixture) -> None:
    for body in ("pass", "print(2)"):
        answer = runtime.commands.deploy(
            runtime.services.validation.validate("w.py", job(body)), DeployOptions(), idempotency_key="r"
        )
        assert answer["version"] == 1
    assert runtime.workflow().script == 1


def test_a_workflow_is_named_by_its_slug_and_carries_its_tags(runtime: RuntimeFixture) -> None:
    source = job("pass").replace('"W"', '"Mail & Más", tags=["home", "post"]')
    assert runtime.deploy(source)["workflow"] == "mail-más"
    row = runtime.workflow("mail-más")
    assert (row.name, row.tags) == ("Mail & Más", ("home", "post"))
    runtime.commands.run("Mail & Más")
    runtime.tick()
    assert runtime.states("j", "mail-más") == ["succeeded"]
