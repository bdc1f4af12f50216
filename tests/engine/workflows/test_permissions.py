"""What a workflow may do, in words: from its tools, and as often as its author lets it ask."""

from pathlib import Path

import pytest

from scheduler.connections.connector import Connector, Tool
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.engine.plans import Plan
from scheduler.engine.workflows.permissions import is_bolder, list_permissions, say_all
from scheduler.workers.discovery import find_tools
from tests.runs.shop import Shop

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
def shop(tmp_path: Path) -> Shop:
    shop = Shop(tmp_path)
    shop.world.registry = lambda: builtin_registry(lambda *_: None)  # type: ignore[method-assign]
    shop.crash()
    return shop


def plan_of(shop: Shop, source: str) -> Plan:
    return shop.house.validation.validate("r.py", source).plan(1)


@pytest.mark.parametrize(
    ("approve", "words"),
    [
        (', approve="always"', "may add rows to expenses, asks before each"),
        (', approve="first"', "may add rows to expenses, asks the first time"),
        (', approve="never"', "may add rows to expenses, without asking"),
        ("", "may add rows to expenses, without asking"),
    ],
)
def test_it_says_what_and_how_often_it_asks(shop: Shop, approve: str, words: str) -> None:
    source = RECEIPTS.replace("{approve}", approve)
    found = list_permissions(shop.house.registry, plan_of(shop, source), find_tools(source))
    assert say_all(found) == f"It may read your mail at home; {words}."
    shop.close()


def test_deploying_says_it_and_which_of_it_is_allowed(shop: Shop) -> None:
    """A widened declaration asks again: what is new is not allowed because the rest is."""
    narrow = RECEIPTS.replace("{approve}", "").replace('ctx.call("table:expenses", "append", rows=[])', "pass")
    shop.deploy(narrow.replace('connections=["imap:home", "table:expenses"]', 'connections=["imap:home"]'), grant=True)
    answer = shop.deploy(RECEIPTS.replace("{approve}", ""), grant=False)
    assert [(one["tool"], one["is_allowed"], one["sentence"]) for one in answer["permissions"]] == [
        ("fetch", True, "may read your mail at home"),
        ("append", False, "may add rows to expenses, without asking"),
    ]
    wanted = "Receipts needs your permission to add rows to expenses: dayhand grant receipts table:expenses append"
    assert wanted in answer["warnings"]
    shop.house.allowing.revoke("receipts", "imap:home", "fetch")
    again = shop.deploy(RECEIPTS.replace("{approve}", ""), grant=False)
    assert [one["is_allowed"] for one in again["permissions"]] == [False, False]
    shop.close()


def test_a_tool_that_nobody_knows_any_more_is_taken_to_act_on_others(shop: Shop) -> None:
    """Going back to a version that does not ask, where its connector is gone: what was allowed is asked for again."""
    source = RECEIPTS.replace("{approve}", ', approve="never"')
    [use] = [one for one in find_tools(source) if one.tool == "append"]
    careful, bold = plan_of(shop, RECEIPTS.replace("{approve}", "")), plan_of(shop, source)
    assert is_bolder(Registry([]), careful, bold, use)
    assert not is_bolder(shop.house.registry, careful, bold, use), "a table is one's own"
    assert not is_bolder(Registry([]), bold, careful, use) and not is_bolder(Registry([]), None, bold, use)
    shop.close()


def test_every_tool_that_comes_with_the_app_has_words_of_its_own() -> None:
    registry = builtin_registry(lambda *_: None)
    for kind in registry.kinds():
        for tool in registry.connector(kind).tools:
            said = registry.say_ability(f"{kind}:mine", tool.name)
            assert tool.may, f"{kind} {tool.name}"
            assert said.isprintable() and "{" not in said and said[0].islower() and said[-1] not in ".,"


def test_a_tool_without_words_of_its_own_is_named_with_its_help() -> None:
    tools = (
        Tool(name="go", help="Go there. And back.", parameters={}, run=lambda _: None),
        Tool(name="bare", help="", parameters={}, run=lambda _: None),
    )
    registry = Registry(
        [Connector(kind="x", title="X", help="", fields=(), tools=tools, test=lambda _: "")],
    )
    assert registry.say_ability("x:y", "go") == "use go of x:y (go there)"
    assert registry.say_ability("x:y", "bare") == "use bare of x:y"
    assert registry.say_ability("z:y", "gone") == "use gone of z:y"
