"""A workflow in many variants, for random histories: a producer, a consumer that acts, one that listens, a job."""

from typing import Any

HEAD = """
import dayhand
from datetime import timedelta
flow = dayhand.Workflow("W", connections=["world:x"])
{topic} = flow.topic("{topic}")
"""
PRODUCER = """
@flow.producer(every="{every}", publishes=[{topic}])
def p(ctx, state):
    for number, (identity, data) in enumerate(ctx.call("world:x", "look")):
        ctx.publish({topic}, id=identity, title=identity, data=data)
        if number == 1:
            ctx.checkpoint({{**state, "read": number}})
    return {{**state, "polls": state.get("polls", 0) + 1}}
"""
TAKER = """
@flow.consumer(subscribe=[t], publishes=[u], approve="{approve}", expires={expires}, on_expiry="{on_expiry}")
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=2)
        wake = ctx.now + timedelta({wake}) if len(batch) == 2 else None
        if not batch:
            return dayhand.nothing(wake_at=wake)
        ask = dayhand.ask("How?", default="asked") if {asks} else None
        return dayhand.prepared(reserve=batch, data=[e.id for e in batch], say="Do it", wake_at=wake, ask=ask)

    def mutate(self, ctx, prepared):
        ctx.call("world:x", "{tool}", n=prepared.data, text=prepared.answer or "asked")

    def next(self, ctx, prepared, result, state):
        for identity in prepared.data:
            ctx.publish(u, id=identity, data=ctx.outcome)
        return {{"done": state.get("done", 0) + len(prepared.data)}}
"""
TELLER = """
@flow.consumer(subscribe=[u])
class D:
    def prepare(self, ctx, state):
        batch = ctx.peek(u, limit=100)
        return dayhand.prepared(reserve=batch, data=len(batch)) if batch else dayhand.nothing()

    def next(self, ctx, prepared, result, state):
        return {"told": state.get("told", 0) + prepared.data}
"""
JOB = """
@flow.job(
    every="{job_every}", after_crash="{after_crash}", overlap="{overlap}", retries={retries},
    max_failures={max_failures}, pause_on_failure={pause_on_failure},
)
def j(ctx):
    ctx.call("world:x", "look")
    return ctx.attempt
"""
OTHER = """
import dayhand
flow = dayhand.Workflow("V")
@flow.job(every="7m", after_crash="again")
def k(ctx):
    return ctx.attempt
"""


def script(**chosen: Any) -> str:
    """The workflow in one of its variants; without `takes` the acting consumer and its topic are removed."""
    options = {
        "takes": True, "has_job": True, "approve": "never", "tool": "act", "every": "5m", "wake": "seconds=40",
        "after_crash": "next", "overlap": "skip", "job_every": "20m", "retries": 0, "max_failures": 5,
        "pause_on_failure": False, "asks": False, "expires": None, "on_expiry": "reject", **chosen,
    }  # fmt: skip
    topic = "t" if options["takes"] else "u"
    text = HEAD.format(topic=topic) + ("u = flow.topic('u')\n" if options["takes"] else "")
    text += PRODUCER.format(topic=topic, every=options["every"])
    text += (TAKER.format(**options) if options["takes"] else "") + TELLER
    return text + (JOB.format(**options) if options["has_job"] else "")
