"""What a repair asks about is said in the person's language."""

import pytest

from app.widgets.details import Prose
from app.words.repairs import show_repair
from scheduler.engine.fixing.checks import compare

SCRIPT = """
import os
import dayhand
flow = dayhand.Workflow("W", connections=["a:b"])
t = flow.topic("t")

@flow.producer(every="5m", publishes=[t])
def look(ctx, state):
    ctx.publish(t, id="x", data=ctx.call(flow.connections[0], "list"))

@flow.consumer(subscribe=[t])
class C:
    def prepare(self, ctx, state):
        return dayhand.nothing()

@flow.job(cron="0 3 * * *")
def back_up(ctx):
    ctx.run(["true"])
"""
CHANGES = {
    "ids": ('id="x"', 'id="y"', "Ereignisse"),
    "commands": ('["true"]', '["false"]', "welche Befehle"),
    "tools": ("connections[0]", "connections[-1]", "welche Werkzeuge"),
    "an import": ("import os", "import os\nimport socket", "importiert socket"),
    "something outside": (
        "        return dayhand",
        '        os.remove("x")\n        return dayhand',
        "benutzt os.remove",
    ),
}


@pytest.mark.usefixtures("in_german")
@pytest.mark.parametrize("what", CHANGES)
def test_each_thing_that_always_asks_is_said_in_german(what: str) -> None:
    old, new, word = CHANGES[what]
    asks = compare(SCRIPT, SCRIPT.replace(old, new, 1)).asks
    assert asks
    twice = list(show_repair({"asks": asks, "before": "", "source": "", "error": ""}))[1]
    assert isinstance(twice.body, Prose)
    assert word in twice.body.text
    assert "It " not in twice.body.text
