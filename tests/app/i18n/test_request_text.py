"""The warnings of a repair are translated."""

import pytest

from app.requests.request_text import repair_sections
from app.widgets.details import TextBlock
from scheduler.engine.repair.checks import compare_scripts

SCRIPT = """
import os
import dayhand
flow = dayhand.Workflow("W", connections=["a:b"])
t = flow.topic("t")

@flow.producer(every="5m", publishes=[t])
def check(ctx, state):
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
def test_each_warning_is_german(what: str) -> None:
    old, new, word = CHANGES[what]
    asks = compare_scripts(SCRIPT, SCRIPT.replace(old, new, 1)).asks
    assert asks
    warnings = list(repair_sections({"asks": asks, "before": "", "source": "", "error": ""}))[1]
    assert isinstance(warnings.body, TextBlock)
    assert word in warnings.body.text
    assert "It " not in warnings.body.text
