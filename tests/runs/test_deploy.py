"""Deploy: a new version is stored, and everything that hangs on the old one follows in the same transaction."""

from datetime import datetime
from typing import Any

import pytest

from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.deploying import Wish
from scheduler.store import workflows
from tests.engine.harness import HOUR, MINUTE, SECOND, MovedClock
from tests.runs.scripts import HEAD, job, producer
from tests.runs.shop import Shop


def refusal(act: Any, *told: Any, **options: Any) -> str:
    with pytest.raises(RefusedError) as refused:
        act(*told, **options)
    return str(refused.value)


def later(source: str) -> str:
    """The same workflow in another version."""
    return f"{source}\n# another version\n"


def test_the_first_deploy_looks_once(shop: Shop) -> None:
    """Each producer runs now, each consumer prepares once, jobs wait for their time."""
    answer = shop.deploy(producer() + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n")
    assert (answer["workflow"], answer["version"], answer["warnings"]) == ("w", 1, [])
    assert [(one["handler"], one["next"]) for one in answer["schedules"]] == [
        ("p", "2026-11-16T11:00:00Z"),
        ("j", "2026-11-16T11:00:00Z"),
    ]
    assert all(one["words"] for one in answer["schedules"])
    shop.pass_time(10 * MINUTE)
    assert sorted((run.handler, run.trigger) for run in shop.runs()) == [("C", "event"), ("p", "deploy")]
    shop.deploy(later(producer()))
    shop.pass_time(10 * MINUTE)
    assert len(shop.runs("p")) == 1, "only the first deploy"
    assert len(shop.runs("C")) == 2, "a consumer looks after each"


def test_the_run_after_the_first_deploy_can_be_turned_off(shop: Shop) -> None:
    shop.deploy(producer(run_on_deploy=False))  # type: ignore[arg-type]
    shop.pass_time(10 * MINUTE)
    assert shop.runs("p") == []
    shop.pass_time(HOUR)
    assert [run.trigger for run in shop.runs("p")] == ["automatic"]


def test_what_is_deployed_paused_lets_its_times_pass_until_it_is_resumed(shop: Shop) -> None:
    """Nothing queues up meanwhile; the catch-up policy decides over what passed."""
    shop.deploy(job("pass"), paused=True)
    shop.pass_time(3.5 * HOUR)
    assert (shop.states("j"), shop.runs()) == ([], [])
    shop.commands.resume("w")
    shop.tick()
    assert [(f"{row.planned:%H:%M}", row.late) for row in shop.occurrences("j")] == [("13:00", True)]


def test_a_handler_that_comes_new_to_a_paused_workflow_waits_with_it(shop: Shop) -> None:
    shop.deploy(job("pass"))
    shop.commands.pause("w")
    shop.deploy(job("pass") + "\n@flow.job(every='1h')\ndef k(ctx):\n    pass\n")
    shop.pass_time(3 * HOUR)
    assert (shop.states("j"), shop.states("k")) == ([], [])


def test_the_anchor_of_an_interval_is_the_first_deploy(shop: Shop) -> None:
    shop.clock.move(7 * MINUTE)
    shop.deploy(producer())
    shop.pass_time(2 * HOUR)
    assert [f"{row.planned:%H:%M}" for row in shop.occurrences("p")] == ["10:07", "11:07", "12:07"]


def test_the_same_text_again_changes_nothing(shop: Shop) -> None:
    source = producer()
    first = shop.deploy(source)
    shop.tick()
    before = (shop.workflow(), shop.schedule("p"), shop.handler("C"), shop.runs())
    assert shop.deploy(source) == first
    shop.tick()
    assert (shop.workflow(), shop.schedule("p"), shop.handler("C"), shop.runs()) == before


def test_a_deploy_that_takes_a_second_is_still_one_instant(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job waits for its time, and a producer looks once, however slow the machine is."""
    stands = MovedClock.now

    def runs_on(clock: MovedClock) -> datetime:
        clock.move(SECOND)
        return stands(clock)

    monkeypatch.setattr(MovedClock, "now", runs_on)
    shop.deploy(producer() + "\n@flow.job(every='1h')\ndef j(ctx):\n    pass\n")
    monkeypatch.undo()
    shop.tick()
    assert [row.origin for row in shop.occurrences("p")] == ["deploy"]
    assert shop.occurrences("j") == []


def test_an_unchanged_schedule_keeps_its_next_time_its_anchor_and_its_pause(shop: Shop) -> None:
    """K10."""
    shop.deploy(job("pass", every="2h"))
    shop.commands.pause("w", "j", note="Later")
    before = shop.schedule("j")
    shop.clock.move(45 * MINUTE)
    shop.deploy(job("print(1)", every="2h"))
    assert shop.schedule("j") == before and before.paused


def test_a_changed_schedule_is_computed_anew_and_stays_paused(shop: Shop) -> None:
    """K10, P7."""
    shop.deploy(job("pass", cron="0 9 * * *", every=None))  # type: ignore[arg-type]
    shop.commands.pause("w", "j")
    shop.deploy(job("pass", cron="30 12 * * *", every=None))  # type: ignore[arg-type]
    row = shop.schedule("j")
    assert f"{row.next_at:%d %H:%M}" == "16 12:30" and row.paused


def test_a_changed_policy_keeps_the_times(shop: Shop) -> None:
    """S4: the anchor survives."""
    shop.deploy(job("pass"))
    shop.clock.move(20 * MINUTE)
    shop.deploy(job("pass", catchup="all"))
    assert f"{shop.schedule('j').next_at:%H:%M}" == "11:00" and '"all"' in shop.schedule("j").policies


def test_a_producer_that_becomes_a_job_keeps_its_times_and_gets_a_lane_of_its_own(shop: Shop) -> None:
    shop.deploy(producer())
    shop.tick()
    before = shop.schedule("p")
    shop.deploy(job("ctx.done('Done')").replace("def j(", "def p("))
    after = shop.schedule("p")
    assert (before.kind, after.kind, after.next_at) == ("producer", "job", before.next_at)
    shop.pass_time(HOUR)
    last = shop.runs("p")[-1]
    assert (last.kind, last.trigger, last.summary) == ("job", "automatic", "Done")
    assert shop.lane("p").blocked is None


def test_a_removed_schedule_goes_and_one_that_comes_back_begins_anew(shop: Shop) -> None:
    """K10."""
    both = job("pass") + "@flow.job(every='1h')\ndef k(ctx):\n    pass\n"
    shop.deploy(both)
    shop.deploy(job("pass"))
    assert shop.schedule("k").removed is not None
    shop.pass_time(HOUR)
    assert (shop.states("j"), shop.states("k")) == (["succeeded"], [])
    shop.clock.move(7 * MINUTE)
    shop.deploy(later(both))
    shop.pass_time(HOUR)
    assert [f"{row.planned:%H:%M}" for row in shop.occurrences("k")] == ["12:07"]


def test_a_schedule_that_a_person_edited_stays_so_while_its_author_does_not_change_it(shop: Shop) -> None:
    shop.deploy(job("pass"))
    row = shop.schedule("j")
    shop.house.schedules.edit("w/j", version=row.version, spec={"every": "3h"})
    shop.deploy(later(job("pass")))
    assert '"3h"' in shop.schedule("j").spec or "10800" in shop.schedule("j").spec
    shop.deploy(job("pass", every="2h"))
    assert "3h" not in shop.schedule("j").spec


def test_state_is_kept_by_the_name_of_the_handler(shop: Shop) -> None:
    shop.deploy(producer("return {'n': state.get('n', 0) + 1}"))
    shop.tick()
    without = HEAD + "@flow.job(every='1h')\ndef j(ctx):\n    pass\n"
    shop.deploy(without)
    shop.deploy(producer("return {'n': state.get('n', 0) + 10}"))
    shop.commands.run("w")
    shop.tick()
    assert shop.state("p")["n"] >= 11


def test_a_workflow_of_that_name_from_another_file_is_refused_without_replace(shop: Shop) -> None:
    shop.deploy(job("pass"), path="/home/me/w.py")
    sentence = refusal(shop.deploy, job("print(2)"), path="/home/me/copy.py")
    assert sentence == (
        "There is already a workflow W, from /home/me/w.py. Give this one another name, or deploy it with --replace."
    )
    assert shop.workflow().script == 1
    assert shop.deploy(job("print(2)"), path="/home/me/copy.py", replace=True)["version"] == 2
    assert shop.workflow().path == "/home/me/copy.py"


def test_the_same_text_from_another_file_moves_there_with_replace(shop: Shop) -> None:
    shop.deploy(job("pass"), path="a.py")
    shop.deploy(job("pass"), path="b.py", replace=True)
    assert shop.workflow().path == "b.py"
    shop.commands.run("w")
    shop.tick()
    assert shop.states("j") == ["succeeded"]


def test_a_deploy_that_is_refused_leaves_everything_as_it_was(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.deploy(job("pass"))
    monkeypatch.setattr(workflows, "add_script", lambda *_: (_ for _ in ()).throw(OSError("no room")))
    with pytest.raises(OSError, match="no room"):
        shop.deploy(job("print(2)"))
    monkeypatch.undo()
    assert shop.workflow().script == 1
    assert shop.deploy(job("print(3)"))["version"] == 2
    shop.commands.run("w")
    shop.tick()
    assert shop.log(shop.runs()[-1].id) == "3\n"


def test_watching_is_kept_until_it_is_turned_off(shop: Shop) -> None:
    shop.deploy(job("pass"))
    assert not shop.workflow().watching
    shop.deploy(job("pass"), watch=True)
    shop.deploy(job("print(2)"))
    assert shop.workflow().watching
    shop.deploy(job("print(2)"), watch=False)
    assert not shop.workflow().watching
    assert shop.commands.watch("w", on=True) == {"workflow": "w", "watching": True}
    assert shop.workflow().watching


def test_the_same_request_deploys_once(shop: Shop) -> None:
    for body in ("pass", "print(2)"):
        answer = shop.commands.deploy(shop.house.validation.validate("w.py", job(body)), Wish(), request="r")
        assert answer["version"] == 1
    assert shop.workflow().script == 1


def test_a_workflow_is_named_by_its_slug_and_carries_its_tags(shop: Shop) -> None:
    source = job("pass").replace('"W"', '"Mail & Más", tags=["home", "post"]')
    assert shop.deploy(source)["workflow"] == "mail-más"
    row = shop.workflow("mail-más")
    assert (row.name, row.tags) == ("Mail & Más", ("home", "post"))
    shop.commands.run("Mail & Más")
    shop.tick()
    assert shop.states("j", "mail-más") == ["succeeded"]
