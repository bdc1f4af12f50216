"""What a repair may and may not change, by both syntax trees."""

import pytest

from scheduler.engine.repair.checks import compare_descriptions, compare_scripts

SCRIPT = '''"""Mails."""
# /// script
# dependencies = ["six"]
# ///
import dayhand

PREFIX = "m"
flow = dayhand.Workflow("Mails", connections=["imap:home", "table:out"])
mails = flow.topic("mails")


@flow.producer(every="5m", publishes=[mails])
def poll(ctx, state):
    for mail in ctx.call("imap:home", "search"):
        key = mail["id"]
        ctx.publish(mails, id=PREFIX + key, title=mail["subject"])


@flow.consumer(subscribe=[mails], approve="always")
class File:
    def prepare(self, ctx, state):
        return dayhand.prepared(reserve=ctx.peek(mails))

    def mutate(self, ctx, prepared):
        ctx.call("table:out", "append", rows=[])
'''
REFUSED = {
    "a name": ('Workflow("Mails"', 'Workflow("Other"', "name"),
    "a connection more": ('"table:out"]', '"table:out", "smtp:x"]', "connections"),
    "a topic": ('flow.topic("mails")', 'flow.topic("post")', "topics"),
    "a topic in place": ("ctx.publish(mails,", 'ctx.publish(flow.topics["mails"],', "topics"),
    "an approval": ('approve="always"', 'approve="never"', "asks you"),
    "an approval left out": (', approve="always"', "", "asks you"),
    "a subscription": ("subscribe=[mails]", "subscribe=[mails, mails]", "topics (consumer"),
    "a publication": ("publishes=[mails]", "publishes=[]", "topics (producer"),
    "a handler's name": ("class File", "class Other", "handlers"),
    "another tool": ('"table:out", "append"', '"table:out", "delete"', "delete of table:out"),
    "another connection": ('"imap:home", "search"', '"table:out", "read"', "read of table:out"),
    "a hidden tool": ('"table:out", "append"', '"table:out", "app" + "end"', "not written out"),
    "a package": ('["six"]', '["six", "evil"]', "packages"),
    "no Python": ("import dayhand", "import dayhand(", "Python"),
}
ASKS = {
    "another id": ("id=PREFIX + key", "id=key", "id="),
    "what the id is made of": ('key = mail["id"]', 'key = mail["date"]', "id="),
    "a constant of the id": ('PREFIX = "m"', 'PREFIX = "n"', "id="),
    "a module": ("import dayhand", "import dayhand\nimport subprocess", "subprocess"),
}
FREE = {
    "the schedule": ('every="5m"', 'every="10m"'),
    "a title": ('title=mail["subject"]', 'title=mail.get("subject", "")'),
    "data of an action": ("rows=[]", "rows=[{}]"),
    "a limit": ("ctx.peek(mails)", "ctx.peek(mails, limit=5)"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_changes_reserved_to_the_user_are_refused(what: str) -> None:
    old, new, reason = REFUSED[what]
    assert old in SCRIPT
    refused = compare_scripts(SCRIPT, SCRIPT.replace(old, new, 1)).refused
    assert any(reason in sentence for sentence in refused), refused


@pytest.mark.parametrize("what", ASKS)
def test_changed_ids_and_imports_always_need_approval(what: str) -> None:
    old, new, reason = ASKS[what]
    assert old in SCRIPT
    result = compare_scripts(SCRIPT, SCRIPT.replace(old, new, 1))
    assert result.refused == ()
    assert any(reason in sentence for sentence in result.asks)


@pytest.mark.parametrize("what", FREE)
def test_other_changes_are_allowed(what: str) -> None:
    old, new = FREE[what]
    assert old in SCRIPT
    result = compare_scripts(SCRIPT, SCRIPT.replace(old, new, 1))
    assert (result.refused, result.asks, result.is_same) == ((), (), False)


def test_comments_and_whitespace_are_not_a_repair() -> None:
    assert compare_scripts(SCRIPT, SCRIPT + "\n# put right\n").is_same


def test_a_setting_hidden_behind_a_name_is_found_in_the_loaded_description() -> None:
    def describe(**changed: object) -> dict[str, object]:
        handler = {"name": "C", "kind": "consumer", "subscribes": ["t"], "publishes": [], "approve": "always"}
        return {"slug": "w", "name": "W", "connections": ["a:b"], "tags": [], "handlers": [{**handler, **changed}]}

    assert compare_descriptions(describe(), describe()) == []
    assert compare_descriptions(describe(), describe(approve="never")) == ["It changes when it asks you (C)."]
    assert compare_descriptions(describe(), describe(subscribes=[])) == ["It changes the topics (C)."]
    assert compare_descriptions(describe(), describe(name="D")) == ["It adds, removes or renames handlers."]
    assert len(compare_descriptions(describe(), {**describe(), "connections": []})) == 1
