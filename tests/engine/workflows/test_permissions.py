"""Permissions in words: the tools of a workflow, and how often it asks."""

from pathlib import Path

import pytest

from scheduler.connections.connector import Connector, Tool
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.engine.script_plan import ScriptPlan
from scheduler.engine.workflows.permissions import asks_less_often, describe_permissions, list_permissions
from scheduler.workers.tool_scan import find_tool_uses
from tests.runs.runtime_fixture import RuntimeFixture

RECEIPTS = """
import dayhand
flow = dayhand.Workflow("Receipts", connections=["imap:home", "table:expenses"])
mails = flow.topic("mails")

@flow.producer(every="5m", publishes=[mails])
def poll(ctx, state):
    ctx.call("imap:home", "fetch", uid=1)
    return state

@flow.consumer(subscribe=[mails]{approve})
class File:
    def prepare(self, ctx, state):
        return dayhand.nothing()

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=[])
"""


@pytest.fixture
def runtime(tmp_path: Path) -> RuntimeFixture:
    runtime = RuntimeFixture(tmp_path)
    runtime.service.registry = lambda: builtin_registry(lambda *_: None)  # type: ignore[method-assign]
    runtime.crash()
    return runtime


def plan_of(runtime: RuntimeFixture, source: str) -> ScriptPlan:
    return runtime.services.validation.validate("r.py", source).plan(1)


@pytest.mark.parametrize(
    ("approve", "words"),
    [
        (', approve="always"', "may add rows to expenses, asks each time"),
        (', approve="first"', "may add rows to expenses, asks the first time"),
        (', approve="never"', "may add rows to expenses, without asking"),
        ("", "may add rows to expenses, without asking"),
    ],
)
def test_a_permission_says_what_and_how_often_it_asks(runtime: RuntimeFixture, approve: str, words: str) -> None:
    source = RECEIPTS.replace("{approve}", approve)
    permissions = list_permissions(runtime.services.registry, plan_of(runtime, source), find_tool_uses(source), {})
    assert describe_permissions(permissions) == f"It may read your mail at home; {words}."
    runtime.close()


def test_deploy_lists_permissions_and_which_are_granted(runtime: RuntimeFixture) -> None:
    """A new tool is not granted because the others are."""
    narrow = RECEIPTS.replace("{approve}", "").replace('ctx.call("table:expenses", "append", rows=[])', "pass")
    runtime.deploy(
        narrow.replace('connections=["imap:home", "table:expenses"]', 'connections=["imap:home"]'), grant=True
    )
    answer = runtime.deploy(RECEIPTS.replace("{approve}", ""), grant=False)
    assert [(one["tool"], one["is_allowed"], one["sentence"]) for one in answer["permissions"]] == [
        ("fetch", True, "may read your mail at home"),
        ("append", False, "may add rows to expenses, without asking"),
    ]
    warning = "Receipts needs your permission to add rows to expenses: dayhand grant receipts table:expenses append"
    assert warning in answer["warnings"]
    runtime.services.grant_commands.revoke("receipts", "imap:home", "fetch")
    again = runtime.deploy(RECEIPTS.replace("{approve}", ""), grant=False)
    assert [one["is_allowed"] for one in again["permissions"]] == [False, False]
    runtime.close()


def test_an_unknown_tool_counts_as_acting_on_others(runtime: RuntimeFixture) -> None:
    """A version that does not ask, with a missing connector, needs new permission."""
    source = RECEIPTS.replace("{approve}", ', approve="never"')
    [use] = [one for one in find_tool_uses(source) if one.tool == "append"]
    careful, bold = plan_of(runtime, RECEIPTS.replace("{approve}", "")), plan_of(runtime, source)
    assert asks_less_often(Registry([]), careful, bold, use)
    assert not asks_less_often(runtime.services.registry, careful, bold, use), "a table does not act on others"
    assert not asks_less_often(Registry([]), bold, careful, use) and not asks_less_often(Registry([]), None, bold, use)
    runtime.close()


def test_every_built_in_tool_has_its_own_description() -> None:
    registry = builtin_registry(lambda *_: None)
    for kind in registry.kinds():
        for tool in registry.connector(kind).tools:
            text = registry.describe_ability(f"{kind}:mine", tool.name)
            assert tool.may, f"{kind} {tool.name}"
            assert text.isprintable() and "{" not in text and text[0].islower() and text[-1] not in ".,"


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("https://shop.example.org/lamps/7", "read from page (shop.example.org)"),
        ("http://127.0.0.1:8080", "read from page (127.0.0.1)"),
        ("", "read from page"),
        ("http://[", "read from page"),
    ],
)
def test_a_permission_names_the_site(address: str, text: str) -> None:
    registry = builtin_registry(lambda *_: None)
    assert registry.describe_ability("http:page", "get", {"base_url": address}) == text


def test_a_tool_without_a_description_is_named_with_its_help() -> None:
    tools = (
        Tool(name="go", help="Go there. And back.", parameters={}, run=lambda _: None),
        Tool(name="bare", help="", parameters={}, run=lambda _: None),
    )
    registry = Registry(
        [Connector(kind="x", title="X", help="", fields=(), tools=tools, test=lambda _: "")],
    )
    assert registry.describe_ability("x:y", "go") == "use go of x:y (go there)"
    assert registry.describe_ability("x:y", "bare") == "use bare of x:y"
    assert registry.describe_ability("z:y", "gone") == "use gone of z:y"
