"""Scripts for the tests of runs; the workflow is called W and has the topic t."""

HEAD = """
import dayhand
flow = dayhand.Workflow("W", connections=["world:x"])
t = flow.topic("t")
"""

CONSUMER = (
    HEAD
    + """
@flow.consumer(subscribe=[t], approve="{approve}")
class C:
    def prepare(self, ctx, state):
        batch = ctx.peek(t, limit=10)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(reserve=batch, data=[event.id for event in batch], say="Do " + str(len(batch)))

    def mutate(self, ctx, prepared):
        ctx.call("world:x", "{tool}", n=prepared.data)

    def next(self, ctx, prepared, result, state):
        state["done"] = state.get("done", []) + prepared.data
        state["told"] = [ctx.outcome, result]
        ctx.done("Did " + str(len(prepared.data)))
        return state
"""
)


def consumer(*, approve: str = "never", tool: str = "act") -> str:
    """Reserves up to ten events, acts once with their ids, and stores what it did."""
    return CONSUMER.format(approve=approve, tool=tool)


def job(body: str, **options: str) -> str:
    """A workflow with one job that runs this body every hour."""
    written = {"every": "1h", **options}
    settings = ", ".join(f"{name}={value!r}" for name, value in written.items())
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"{HEAD.replace('t = flow.topic', '_ = flow.topic')}\n@flow.job({settings})\ndef j(ctx):\n{lines}\n"


def producer(body: str = "return state", **options: str) -> str:
    """A workflow with one producer of topic t every hour, and a consumer that reserves nothing."""
    written = {"every": "1h", **options}
    settings = ", ".join(f"{name}={value!r}" for name, value in written.items())
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return (
        f"{HEAD}\n@flow.producer({settings}, publishes=[t])\ndef p(ctx, state):\n{lines}\n\n"
        "@flow.consumer(subscribe=[t])\nclass C:\n"
        "    def prepare(self, ctx, state):\n        return dayhand.nothing()\n"
    )


def prepare(body: str, rest: str = "", **options: str) -> str:
    """A workflow with one consumer C of topic t and this prepare; `rest` holds its other phases."""
    settings = "".join(f", {name}={value!r}" for name, value in options.items())
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    phases = "\n".join(f"    {line}" for line in rest.strip().splitlines())
    return (
        f"{HEAD}\n@flow.consumer(subscribe=[t]{settings})\nclass C:\n    def prepare(self, ctx, state):\n{lines}\n\n"
        f"{phases}\n"
    )
