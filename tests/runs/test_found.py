"""A check says what it found; only one that found nothing says so."""

import pytest

from app.window.history.history_data import describe_outcome, describe_status
from scheduler.engine.queries.runs import RunView
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import producer
from tests.runs.test_refused_runs import views

PUBLISH = "for title in {titles}:\n    ctx.publish(t, id=title or 'x', title=title)\nreturn state"


def check(runtime: RuntimeFixture, body: str) -> RunView:
    runtime.deploy(producer(body))
    runtime.pass_time(HOUR)
    return views(runtime).run(runtime.runs("p")[0].id)


@pytest.mark.parametrize(
    ("titles", "said"),
    [
        (["Invoice March"], "Found 1 new item: Invoice March"),
        (["Invoice March", "Invoice April"], "Found 2 new items: Invoice March, Invoice April"),
        (["a", "b", "c", "d", "e"], "Found 5 new items: a, b, c and 2 more"),
        ([""], "Found 1 new item"),
        (["x" * 100], f"Found 1 new item: {'x' * 59}…"),
    ],
)
def test_a_check_names_what_it_found(runtime: RuntimeFixture, titles: list[str], said: str) -> None:
    run = check(runtime, PUBLISH.format(titles=titles))
    assert (run.summary, describe_outcome(run)) == (said, said)


def test_what_was_published_before_a_checkpoint_counts(runtime: RuntimeFixture) -> None:
    body = "ctx.publish(t, id='a', title='a')\nctx.checkpoint(state)\nctx.publish(t, id='b', title='b')\nreturn state"
    assert check(runtime, body).summary == "Found 2 new items: a, b"


def test_publishing_the_same_again_is_nothing_new(runtime: RuntimeFixture) -> None:
    check(runtime, PUBLISH.format(titles=["a"]))
    again = views(runtime).run(runtime.runs("p")[-1].id)
    assert len(runtime.runs("p")) > 1
    assert (again.summary, describe_status(again)) == (None, "Checked; nothing new.")


def test_a_consumer_without_work_does_not_say_that_it_checked(runtime: RuntimeFixture) -> None:
    check(runtime, "return state")
    idle = views(runtime).run(runtime.runs("C")[-1].id)
    assert (idle.summary, describe_status(idle)) == (None, "Nothing to do.")
