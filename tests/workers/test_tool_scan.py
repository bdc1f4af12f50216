"""Tools are found in the source of a script, without running it."""

from textwrap import dedent

from scheduler.workers.tool_scan import ToolUse, find_tool_uses
from tests.workers.worker_fixture import RECEIPTS


def find_uses(source: str) -> list[tuple[str, str, str | None, str | None, int]]:
    return [(use.handler, use.phase, use.connection, use.tool, use.line) for use in find_tool_uses(dedent(source))]


def test_each_use_has_its_handler_phase_and_line() -> None:
    assert find_tool_uses(RECEIPTS) == [
        ToolUse(handler="poll", phase="producer", connection="imap:home", tool="search", line=12),
        ToolUse(handler="FileReceipt", phase="mutate", connection="table:expenses", tool="append", line=31),
    ]


def test_parameters_are_found_with_their_values_if_these_are_written_out() -> None:
    source = """
        @flow.job(every="1h")
        def work(ctx):
            ctx.call("a:b", "c", path="x", limit=3, rows=[ctx.now], text=f"{1}", where={}, other=work)
            ctx.call("a:b", "c", **{"path": "x"})
    """
    given, unknown = (use.parameters for use in find_tool_uses(dedent(source)))
    assert given == {"path": "x", "limit": 3, "rows": [], "text": "", "where": {}, "other": ...}
    assert unknown is None


def test_a_name_that_is_not_a_literal_is_unknown() -> None:
    source = """
        @flow.job(every="1h")
        def work(ctx):
            for tool in ("a", "b"):
                ctx.call("files:home", tool)
            ctx.call()
    """
    assert find_uses(source) == [("work", "job", "files:home", None, 5), ("work", "job", None, None, 6)]


def test_a_constant_is_known_unless_it_is_reassigned() -> None:
    source = """
        HOME = "files:home"
        TOOL = "list"
        TOOL = "read"

        @flow.job(every="1h")
        def work(ctx):
            ctx.call(HOME, TOOL)
    """
    assert find_uses(source) == [("work", "job", "files:home", None, 8)]


def test_other_functions_named_call_are_ignored() -> None:
    source = """
        import subprocess

        @flow.job(every="1h")
        def work(ctx):
            subprocess.call(["ls"], "x")
            return [c.call("files:home", "list") for c in [ctx]] + ctx.call("files:home", "read")
    """
    assert find_uses(source) == [("work", "job", "files:home", "read", 7)]


def test_functions_used_by_a_phase_are_included() -> None:
    source = """
        def outer(ctx):
            return inner(ctx)

        def inner(ctx):
            outer
            return ctx.call("files:home", "list")

        def unused(ctx):
            ctx.call("files:home", "delete")

        @flow.producer(every="1h")
        def look(ctx, state):
            outer(ctx)

        @flow.consumer(subscribe=[x])
        class Act:
            def prepare(self, ctx, state):
                self.read(ctx)

            def read(self, ctx):
                ctx.call("files:home", "read")

            def mutate(self, ctx, prepared):
                ctx.call("files:home", "write")
    """
    assert find_uses(source) == [
        ("look", "producer", "files:home", "list", 7),
        ("Act", "prepare", "files:home", "read", 22),
        ("Act", "mutate", "files:home", "write", 25),
    ]


def test_secrets_of_commands_count_as_uses() -> None:
    source = """
HOME = "restic:home"

@flow.job(every="1h")
def backup(ctx):
    ctx.run(["restic", "backup"], secrets={"A": HOME, "B": "secret:b"})
    ctx.run(["true"])
    ctx.run(["true"], secrets=made())
"""
    assert [(use.connection, use.tool, use.line) for use in find_tool_uses(source)] == [
        ("restic:home", "hand_over", 6),
        ("secret:b", "hand_over", 6),
        (None, "hand_over", 8),
    ]
