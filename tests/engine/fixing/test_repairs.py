"""A script that fails is repaired by itself, off the engine's thread, and nothing stays stuck whatever happens."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from scheduler.engine.fixing.choice import FixerChoice, FixerKind
from scheduler.engine.refusal import RefusedError
from scheduler.engine.workflows.views import WorkflowViews
from scheduler.engine.workflows.views.workflows import WorkflowView
from scheduler.rules.phases import Status
from scheduler.rules.states import WorkflowState
from scheduler.store import repairs, workflows
from scheduler.store.requests import RequestKind
from scheduler.store.workflows import ScriptOrigin
from tests.connections.web_servers import Asked, Reply, web
from tests.runs.scripts import consumer, job, producer
from tests.runs.shop import PATIENCE, Shop

GOOD = consumer()
BROKEN = GOOD.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "')


class Model:
    """A model server that answers with these scripts, in turn and then the last for ever, when it is let to."""

    def __init__(self, *scripts: str) -> None:
        self.scripts = list(scripts)
        self.entered, self.gate = threading.Event(), threading.Event()
        self.gate.set()
        self.url = ""
        self.asked: list[Asked] = []

    @contextmanager
    def serving(self) -> Iterator["Model"]:
        with web(self._answer) as server:
            self.url, self.asked = f"{server.url.rstrip('/')}/v1", server.asked
            try:
                yield self
            finally:
                self.gate.set()

    def choice(self, **more: Any) -> FixerChoice:
        return FixerChoice(kind=FixerKind.SERVER, url=self.url, model="m", **more)

    def _answer(self, _: Asked) -> Reply:
        self.entered.set()
        assert self.gate.wait(PATIENCE)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        told = {"choices": [{"message": {"content": f"```python\n{script}\n```"}}]}
        return Reply(body=json.dumps(told).encode())


@pytest.fixture
def model() -> Iterator[Model]:
    with Model(GOOD).serving() as made:
        yield made


@pytest.fixture
def shop(tmp_path: Path, model: Model) -> Iterator[Shop]:
    made = Shop(tmp_path / "data", fixer=model.choice())
    yield made
    model.gate.set()
    made.close()


def until(shop: Shop, holds: Callable[[], Any]) -> None:
    """As the host does: what is handed over is done on the engine's thread, between its ticks."""

    def do_errands() -> bool:
        while not shop.house.repairs.errands.empty():
            shop.house.repairs.errands.get()()
        return bool(holds())

    shop.wait(do_errands)
    shop.tick()


def breaks(shop: Shop, source: str = BROKEN) -> str:
    """The id of the run that failed after it acted, of which a repair is being prepared."""
    shop.deploy(source)
    shop.publish("a")
    shop.wait(lambda: shop.workflow().fixing)
    return shop.runs()[-1].id


def view(shop: Shop) -> WorkflowView:
    return WorkflowViews(shop.engine.context, shop.house.plans, shop.house.registry).workflow("w")


def asked(shop: Shop, kind: RequestKind) -> Any:
    found = [one for one in shop.requests() if one.kind is kind]
    return found[0] if found else None


def test_a_repair_waits_for_yes_and_the_run_goes_on_without_acting_again(shop: Shop, model: Model) -> None:
    model.gate.clear()
    run = breaks(shop)
    assert model.entered.wait(PATIENCE)
    assert (view(shop).state, view(shop).words) == (WorkflowState.FIXING, "A repair is being prepared.")
    assert shop.requests() == [], "nobody is asked while a repair is being prepared"
    model.gate.set()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    one = asked(shop, RequestKind.FIX)
    assert (one.run, view(shop).state, shop.workflow().fixing) == (run, WorkflowState.NEEDS_ATTENTION, False)
    assert "division by zero" in one.sentence and "A repair is ready" in one.sentence
    assert '+        ctx.done("Did "' in one.ui["difference"] and "division by zero" in one.ui["sent"]
    assert [found.kind for found in shop.requests()] == [RequestKind.FIX], "one thing, one question"
    assert shop.workflow().script == 1
    shop.answering.approve(one.id)
    shop.tick()
    last = shop.runs()[-1]
    assert (last.status, last.summary, last.script) == (Status.COMMITTED, "Did 1", 2)
    assert (len(shop.world.calls), shop.events(), shop.requests()) == (1, {"a": "consumed"}, [])
    script = workflows.find_script(shop.database.read(), "w", 2)
    assert script is not None and script.origin is ScriptOrigin.FIX


def test_a_no_leaves_it_to_the_person_and_no_other_repair_begins(shop: Shop, model: Model) -> None:
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.reject(asked(shop, RequestKind.FIX).id)
    shop.tick()
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "You did not want the repair." in one.sentence
    assert (shop.workflow().script, shop.workflow().fixing, len(model.asked)) == (1, False, 1)
    with pytest.raises(RefusedError, match="yes or no"):
        shop.answering.approve(one.id)


def test_only_the_first_answer_counts(shop: Shop) -> None:
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    one = asked(shop, RequestKind.FIX)
    shop.answering.approve(one.id)
    shop.answering.approve(one.id)
    with pytest.raises(RefusedError, match="already answered"):
        shop.answering.reject(one.id)
    assert shop.workflow().script == 2


def test_the_lanes_of_a_workflow_rest_while_it_is_repaired(shop: Shop, model: Model) -> None:
    model.gate.clear()
    both = BROKEN + '\n@flow.job(every="1h")\ndef j(ctx):\n    ctx.done("ran")\n'
    model.scripts = [both.replace("1 / 0 * ", "")]
    breaks(shop, both)
    with pytest.raises(RefusedError, match="being prepared"):
        shop.commands.run("w", "j")
    assert model.entered.wait(PATIENCE)
    shop.clock.move(shop.schedule("j").next_at - shop.clock.wall)  # type: ignore[operator]  it has times
    shop.tick()
    assert shop.runs("j") == [] and shop.states("j") == ["queued"]
    model.gate.set()
    until(shop, lambda: not shop.workflow().fixing)
    assert shop.states("j") == ["succeeded"]


def test_by_setting_it_is_used_at_once_told_and_taken_back_with_one_word(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop)
    until(shop, lambda: shop.workflow().script == 2)
    assert (shop.runs()[-1].summary, len(shop.world.calls)) == ("Did 1", 1)
    one = asked(shop, RequestKind.REPAIRED)
    assert one.sentence == "W failed and was repaired. It goes on with version 2."
    assert any("repaired" in told.sentence for told in shop.announcements)
    shop.answering.reject(one.id)
    script = workflows.find_script(shop.database.read(), "w", 3)
    assert script is not None and (script.origin, script.source) == (ScriptOrigin.ROLLBACK, BROKEN)
    assert shop.requests() == []
    shop.publish("b")
    shop.wait(lambda: bool(shop.requests()))
    assert asked(shop, RequestKind.SCRIPT_ERROR) is not None, "what the person went back to is left to them"
    assert len(model.asked) == 1


def test_what_was_repaired_by_itself_is_kept_with_one_word_or_by_a_deploy(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop)
    until(shop, lambda: asked(shop, RequestKind.REPAIRED))
    shop.answering.approve(asked(shop, RequestKind.REPAIRED).id)
    assert (shop.requests(), shop.workflow().script) == ([], 2)
    shop.deploy(BROKEN + "\n# again\n")
    shop.publish("b")
    until(shop, lambda: asked(shop, RequestKind.REPAIRED))
    shop.deploy(GOOD + "\n# mine\n")
    assert shop.requests() == []


def test_a_changed_id_asks_even_where_repairs_are_used_by_themselves(shop: Shop, model: Model) -> None:
    publishing = (
        GOOD.replace("approve=", "publishes=[u], approve=")
        .replace('t = flow.topic("t")', 't = flow.topic("t")\nu = flow.topic("u")')
        .replace("        return state", '        ctx.publish(u, id="x")\n        return state')
    )
    publishing += (
        "\n@flow.consumer(subscribe=[u])\nclass D:\n    prepare = lambda self, ctx, state: dayhand.nothing()\n"
    )
    model.scripts = [publishing.replace('id="x"', 'id="y"')]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop, publishing.replace('ctx.done("Did "', 'ctx.done(1 / 0 * "Did "'))
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert "id=" in asked(shop, RequestKind.FIX).sentence
    assert shop.workflow().script == 1


def test_no_repair_ends_in_the_sentence_why_not(shop: Shop, model: Model) -> None:
    """F4"""
    model.scripts = [GOOD.replace('approve="never"', 'approve="first"')]
    breaks(shop)
    until(shop, lambda: bool(shop.requests()))
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR
    assert "division by zero" in one.sentence and "No repair was found. It changes when it asks you" in one.sentence
    assert (len(model.asked), shop.workflow().fixing) == (3, False)
    shop.answering.retry("w")
    shop.wait(lambda: len(shop.runs()) > 1 and shop.requests())
    assert "3 times already" in shop.requests()[0].sentence
    assert len(model.asked) == 3, "three answers in one chain, and no more"


def test_repairs_that_do_not_help_come_to_an_end(shop: Shop, model: Model) -> None:
    """F4: each fails anew, before it acts and so in a chain of its own, where a trial without events cannot see it."""
    scripts = [
        GOOD.replace("return dayhand.prepared", f"{one} / 0\n        return dayhand.prepared") for one in range(9)
    ]
    model.scripts = scripts[1:]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=True))
    breaks(shop, scripts[0])
    until(shop, lambda: asked(shop, RequestKind.SCRIPT_ERROR))
    assert "3 times already" in asked(shop, RequestKind.SCRIPT_ERROR).sentence
    assert (shop.workflow().script, len(model.asked), shop.world.calls) == (4, 3, [])
    shop.deploy(GOOD)
    shop.tick()
    assert (shop.events(), shop.requests()) == ({"a": "consumed"}, [])


def test_a_crash_in_the_middle_leaves_nothing_stuck(shop: Shop, model: Model) -> None:
    """The next start asks the fixer again, as long as it may be asked."""
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    model.gate.set()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert (shop.workflow().fixing, len(model.asked)) == (False, 2)
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    shop.tick()
    assert (shop.runs()[-1].summary, len(shop.world.calls)) == ("Did 1", 1)


def test_after_a_crash_a_fixer_that_was_turned_off_is_not_asked(shop: Shop, model: Model) -> None:
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.settings = replace(shop.settings, fixer=FixerChoice())
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    [one] = shop.requests()
    assert one.kind is RequestKind.SCRIPT_ERROR and "before there was a repair" in one.sentence
    assert not shop.workflow().fixing


def test_a_fixer_that_takes_the_app_down_with_it_is_asked_three_times(shop: Shop, model: Model) -> None:
    model.gate.clear()
    breaks(shop)
    for _ in range(3):
        assert model.entered.wait(PATIENCE)
        model.entered.clear()
        gone = shop.house.repairs
        shop.crash()
        gone.close()
    assert [one.kind for one in shop.requests()] == [RequestKind.SCRIPT_ERROR]
    assert (shop.workflow().fixing, len(model.asked)) == (False, 3)


def test_a_crash_before_the_answer_was_used_loses_nothing_but_the_answer(shop: Shop, model: Model) -> None:
    breaks(shop)
    shop.wait(lambda: not shop.house.repairs.errands.empty())
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert len(model.asked) == 2


def test_a_copy_of_the_store_without_its_facts_is_settled_too(shop: Shop, model: Model) -> None:
    model.gate.clear()
    run = breaks(shop)
    assert model.entered.wait(PATIENCE)
    with shop.database.write() as db:
        db.execute("DELETE FROM facts WHERE name LIKE 'fixing %'")
    assert repairs.run_of(shop.database.read(), "w") == run
    with shop.database.write() as db:
        db.execute("UPDATE lanes SET blocked = NULL, run = NULL")
    gone = shop.house.repairs
    shop.crash()
    gone.close()
    assert not shop.workflow().fixing


def test_what_the_author_saves_meanwhile_counts_and_the_repair_is_kept_unused(shop: Shop, model: Model) -> None:
    """F4"""
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.deploy(GOOD + "\n# mine\n")
    assert not shop.workflow().fixing, "the author's own script runs at once"
    shop.tick()
    assert shop.runs()[-1].summary == "Did 1"
    model.gate.set()
    until(shop, lambda: len(workflows.scripts(shop.database.read(), "w")) == 3)
    assert (shop.workflow().script, shop.requests()) == (2, [])
    assert any("kept as version 3" in told.sentence for told in shop.announcements)


@pytest.mark.parametrize("verb", ["stop", "archive", "remove"])
def test_what_is_put_away_meanwhile_asks_nobody(shop: Shop, model: Model, verb: str) -> None:
    model.gate.clear()
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    getattr(shop.commands, verb)("w")
    model.gate.set()
    shop.wait(lambda: not shop.house.repairs.errands.empty())
    until(shop, lambda: True)
    assert (shop.requests(), repairs.under_way(shop.database.read())) == ([], [])


def test_the_person_may_try_again_meanwhile(shop: Shop, model: Model) -> None:
    model.gate.clear()
    run = breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.answering.retry("w")
    shop.wait(lambda: len(shop.runs()) > 1 and shop.workflow().fixing)
    assert repairs.run_of(shop.database.read(), "w") == shop.runs()[-1].id != run
    model.gate.set()
    until(shop, lambda: asked(shop, RequestKind.FIX))
    assert asked(shop, RequestKind.FIX).run != run, "the answer to the first failure came too late"


def test_it_is_off_unless_it_was_chosen(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "data")
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == [RequestKind.SCRIPT_ERROR]
    assert not shop.workflow().fixing
    shop.close()


def test_a_script_that_cannot_even_be_loaded_is_repaired_too(shop: Shop, model: Model, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("x")
    source = GOOD.replace("import dayhand", f"import dayhand\nopen({str(there)!r}).close()")
    model.scripts = [GOOD]
    shop.deploy(source)
    there.unlink()
    shop.house.workshop.forget("w")
    shop.publish("a")
    shop.wait(lambda: shop.workflow().fixing)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    shop.tick()
    assert shop.runs()[-1].summary == "Did 1"


def test_a_failure_that_is_not_the_scripts_is_not_sent(shop: Shop, model: Model) -> None:
    shop.deploy(GOOD, grant=False)
    shop.publish("a")
    shop.tick()
    assert [one.kind for one in shop.requests()] == [RequestKind.PERMISSION]
    assert model.asked == []


def test_closing_does_not_wait_for_a_fixer_that_thinks(tmp_path: Path, model: Model) -> None:
    model.gate.clear()
    shop = Shop(tmp_path / "other", fixer=model.choice(seconds=3_600))
    breaks(shop)
    assert model.entered.wait(PATIENCE)
    shop.close()
    assert not any(thread.name == "repairs" for thread in threading.enumerate())


def test_where_the_person_looks_first_nothing_is_sent_before(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    [one] = shop.requests()
    assert (one.kind, shop.workflow().fixing, model.asked) == (RequestKind.SCRIPT_ERROR, False, [])
    assert one.run is not None
    shop.house.repairs.start(one.run)
    with pytest.raises(RefusedError, match="already"):
        shop.house.repairs.start(one.run)
    assert (shop.requests(), shop.workflow().fixing) == ([], True)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    told = json.loads(model.asked[0].body)["messages"]
    assert one.ui["sends"] == "\n\n".join(part["content"] for part in told), "what was shown is what was sent"


def test_what_cannot_be_repaired_is_refused_with_the_reason(shop: Shop, model: Model) -> None:
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(BROKEN)
    shop.publish("a")
    shop.tick()
    run = shop.runs()[-1].id
    shop.engine.context.settings = replace(shop.settings, fixer=FixerChoice())
    with pytest.raises(RefusedError, match="Nobody was chosen"):
        shop.house.repairs.start(run)
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(shows=True))
    shop.deploy(GOOD)
    with pytest.raises(RefusedError, match="still in use"):
        shop.house.repairs.start(run)
    assert model.asked == []


JOB = job("ctx.done(str(1 / 0))")
AGAIN = job("ctx.done(str(1 / 0))", after_crash="again")


@pytest.mark.parametrize(
    ("source", "by_itself", "runs"),
    [(JOB, False, 2), (JOB, True, 1), (AGAIN, True, 2)],
    ids=["after a yes", "by itself", "by itself, where the author says that it may"],
)
def test_a_job_that_failed_is_done_again_only_where_somebody_said_so(
    shop: Shop,
    model: Model,
    source: str,
    by_itself: bool,  # noqa: FBT001  a case
    runs: int,
) -> None:
    """It may have done half of it."""
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    shop.engine.context.settings = replace(shop.settings, fixer=model.choice(applies=by_itself))
    shop.deploy(source)
    shop.commands.run("w")
    shop.wait(lambda: shop.workflow().fixing)
    until(shop, lambda: not shop.workflow().fixing)
    if not by_itself:
        shop.answering.approve(asked(shop, RequestKind.FIX).id)
        shop.tick()
    assert (shop.workflow().script, len(shop.runs())) == (2, runs)
    assert shop.lane("j").blocked is None
    if runs == 2:
        assert (shop.runs()[-1].summary, shop.runs()[-1].retry_of) == ("2", shop.runs()[0].id)
    shop.clock.move(timedelta(hours=1))
    shop.tick()
    assert shop.runs()[-1].summary == "2", "its regular times go on"


def test_a_producer_that_failed_looks_again(shop: Shop, model: Model) -> None:
    source = producer("ctx.publish(t, id=str(1 / 0))")
    model.scripts = [source.replace("1 / 0", "1 + 1")]
    shop.deploy(source)
    shop.wait(lambda: shop.workflow().fixing)
    until(shop, lambda: asked(shop, RequestKind.FIX))
    shop.answering.approve(asked(shop, RequestKind.FIX).id)
    shop.tick()
    assert shop.events() == {"2": "pending"}
