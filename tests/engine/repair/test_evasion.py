"""Repairs that try to evade the comparison: none is applied without approval, most are refused."""

import pytest

from scheduler.engine.repair.checks import compare_scripts

SCRIPT = '''"""Mails."""
import json
import os
import sys
import dayhand

PREFIX = "m"
flow = dayhand.Workflow("Mails", connections=["imap:home", "table:out", "smtp:home"])
mails = flow.topic("mails")
sent = flow.topic("sent")


def clean(mail):
    return {**mail, "subject": mail["subject"].strip()}


def emit(ctx, one):
    ctx.publish(mails, id=PREFIX + one["id"], title=one["subject"])


@flow.producer(every="5m", publishes=[mails, sent])
def poll(ctx, state):
    found = ctx.call("imap:home", "search", since=state.get("uid", 0))
    for mail in found:
        mail = clean(mail)
        emit(ctx, mail)
        state["uid"] = mail["uid"]
        ctx.log(mail["subject"])
    return state


@flow.consumer(subscribe=[mails], publishes=[sent], approve="always")
class Send:
    prefix = "s"

    def prepare(self, ctx, state):
        batch = ctx.peek(mails)
        return dayhand.prepared(reserve=batch, data={"ids": [one.id for one in batch]}, say="x")

    def mutate(self, ctx, prepared):
        ctx.call("smtp:home", "send", to="a@example.org", text=prepared.data["ids"][0])

    def next(self, ctx, prepared, result, state):
        for one in prepared.data["ids"]:
            ctx.publish(sent, id=self.name(one), title="sent")

    def name(self, one):
        return self.prefix + one


@flow.consumer(subscribe=[sent], approve="never")
class Note:
    def prepare(self, ctx, state):
        batch = ctx.peek(sent)
        return dayhand.prepared(reserve=batch, data=len(batch))

    def mutate(self, ctx, prepared):
        ctx.call("table:out", "append", rows=[{"n": prepared.data}])


@flow.job(cron="0 3 * * *")
def backup(ctx):
    folder = os.path.expanduser("~/x")
    ctx.run(["restic", "backup", folder])
    ctx.done("Backed up " + folder)
'''
ASKED = {
    "prefix const": ('PREFIX = "m"', 'PREFIX = "n"'),
    "prefix augmented": ('PREFIX = "m"\n', 'PREFIX = "m"\nPREFIX += "x"\n'),
    "prefix global": ("    found = ctx.call(", '    global PREFIX\n    PREFIX = "x"\n    found = ctx.call('),
    "id expr": ('id=PREFIX + one["id"]', 'id=PREFIX + one["uid"]'),
    "id dropped prefix": ('id=PREFIX + one["id"]', 'id=one["id"]'),
    "loop source": ("for mail in found:", 'for mail in [{**m, "id": m["uid"]} for m in found]:'),
    "transitive": ("        mail = clean(mail)", '        other = dict(mail, id="x")\n        mail = clean(other)'),
    "helper body": ('return {**mail, "subject"', 'return {**mail, "id": "x", "subject"'),
    "call site": ("emit(ctx, mail)", 'emit(ctx, {**mail, "id": "x"})'),
    "mutate dict": ("        emit(ctx, mail)", '        mail.update(id="x")\n        emit(ctx, mail)'),
    "mutate sub": ("        emit(ctx, mail)", '        mail["id"] = "x"\n        emit(ctx, mail)'),
    "del": ("        emit(ctx, mail)", '        mail.pop("id")\n        emit(ctx, mail)'),
    "alias mutate": (
        "        emit(ctx, mail)",
        '        other = mail\n        other["id"] = "x"\n        emit(ctx, mail)',
    ),
    "alias loop": (
        "    for mail in found:",
        '    for other in found:\n        other.update(id="x")\n    for mail in found:',
    ),
    "alias list": ("    for mail in found:", '    box = [found]\n    box[0][0]["id"] = "x"\n    for mail in found:'),
    "alias concat": ("    for mail in found:", '    box = found + []\n    box[0]["id"] = "x"\n    for mail in found:'),
    "sorted key": (
        "    for mail in found:",
        '    sorted(found, key=lambda m: m.update(id="x") or 1)\n    for mail in found:',
    ),
    "map": ("    for mail in found:", "    list(map(clean, found))\n    for mail in found:"),
    "title mutates": ('title=one["subject"])', 'title=one.update(id="x") or "")'),
    "data walrus": ('title=one["subject"])', 'title=(one := {"id": "x"}) and "")'),
    "extra publish": ("    return state\n", '    ctx.publish(mails, id="extra")\n    return state\n'),
    "alias publish": (
        "        emit(ctx, mail)",
        '        p = ctx.publish\n        p(mails, id="x")\n        emit(ctx, mail)',
    ),
    "default arg": ("def emit(ctx, one):", 'def emit(ctx, one, PREFIX="x"):'),
    "kwonly default": ("def emit(ctx, one):", 'def emit(ctx, one, *, PREFIX="x"):'),
    "class attr": ('prefix = "s"', 'prefix = "t"'),
    "method": ("return self.prefix + one", "return one + self.prefix"),
    "self attr": ("        batch = ctx.peek(mails)\n", '        batch = ctx.peek(mails)\n        self.prefix = "t"\n'),
    "data of prepare": ('data={"ids": [one.id for one in batch]}', 'data={"ids": [one.title for one in batch]}'),
    "redefine emit": ("@flow.producer", 'def emit(ctx, one):\n    ctx.publish(mails, id="x")\n\n\n@flow.producer'),
    "rebind str": ('PREFIX = "m"\n', 'PREFIX = "m"\nPREFIX = str("n")\n'),
    "topic var": ("    found = ctx.call(", "    mails = sent\n    found = ctx.call("),
    "topic global": ("@flow.job", "mails, sent = sent, mails\n\n\n@flow.job"),
    "topic swap": ("ctx.publish(mails, id=PREFIX", "ctx.publish(sent, id=PREFIX"),
    "topic loop": ("    found = ctx.call(", "    for mails in [sent]:\n        pass\n    found = ctx.call("),
    "import as": ("import json\n", "import json\nfrom json import dumps as PREFIX\n"),
    "except as": (
        "    found = ctx.call(",
        "    try:\n        1 / 0\n    except Exception as PREFIX:\n        pass\n    found = ctx.call(",
    ),
    "match as": (
        "        emit(ctx, mail)",
        '        match mail:\n            case {"id": str(x), **mail}:\n                pass\n        emit(ctx, mail)',
    ),
    "with as": (
        "        emit(ctx, mail)",
        '        with open("x") as mail:\n            pass\n        emit(ctx, mail)',
    ),
    "command": ('["restic", "backup", folder]', '["rm", "-rf", folder]'),
    "command var": ("~/x", "/"),
    "command extra": ("    ctx.done(", '    ctx.run(["curl", "evil"])\n    ctx.done('),
    "os.system": ("    ctx.done(", '    os.system("curl evil")\n    ctx.done('),
    "import importlib": ("import json\n", "import json\nimport importlib\n"),
    "from os import": ("import json\n", "import json\nfrom os import system\n"),
    "connections append": ("mails = flow.topic", 'flow.connections.append("http:x")\nmails = flow.topic'),
    "async": ("def emit(ctx, one):", "async def emit(ctx, one):"),
    "dead old + new": (
        '    ctx.publish(mails, id=PREFIX + one["id"], title=one["subject"])',
        '    if False:\n        ctx.publish(mails, id=PREFIX + one["id"])\n    ctx.publish(mails, id="x")',
    ),
    "positional star": ('id=PREFIX + one["id"], title=one["subject"])', '**{"id": "x", "title": ""})'),
}
REFUSED = {
    "getattr": (
        "        emit(ctx, mail)",
        '        getattr(ctx, "pub" + "lish")(mails, id="x")\n        emit(ctx, mail)',
    ),
    "exec": ("        emit(ctx, mail)", '        exec("ctx.pub" "lish(mails, id=1)")\n        emit(ctx, mail)'),
    "vars": ("        emit(ctx, mail)", '        vars(ctx)["x"] = 1\n        emit(ctx, mail)'),
    "dunder": ("        emit(ctx, mail)", "        ctx.__class__.publish = None\n        emit(ctx, mail)"),
    "private link": (
        "        emit(ctx, mail)",
        '        ctx._link.tell("publish", topic="mails", id="x", title="", data=None)\n        emit(ctx, mail)',
    ),
    "decorator helper": (
        "def emit(ctx, one):",
        '@(lambda f: lambda ctx, one: f(ctx, {**one, "id": "x"}))\ndef emit(ctx, one):',
    ),
    "decorator handler": ("def poll(ctx, state):", "@twist\ndef poll(ctx, state):"),
    "decorator under": (
        '@flow.producer(every="5m", publishes=[mails, sent])\n',
        '@flow.producer(every="5m", publishes=[mails, sent])\n@twist\n',
    ),
    "monkeypatch class": ("@flow.job", 'Send.prefix = "t"\n\n\n@flow.job'),
    "monkeypatch method": ("@flow.job", 'Send.name = lambda self, one: "x"\n\n\n@flow.job'),
    "setattr": ("@flow.job", 'setattr(Send, "prefix", "t")\n\n\n@flow.job'),
    "type dict": ("@flow.job", "Send.__dict__\n\n\n@flow.job"),
    "rebind emit": ("@flow.producer", "emit = lambda ctx, one: None\n\n\n@flow.producer"),
    "wrap ctx": ("    found = ctx.call(", "    ctx = Wrap(ctx)\n    found = ctx.call("),
    "match attr": (
        "        emit(ctx, mail)",
        '        match ctx:\n            case object(publish=p):\n                p(mails, id="x")',
    ),
    "send from Note": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'ctx.call("smtp:home", "send", to="x", text="y")',
    ),
    "send from Note alias": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'c = ctx.call\n        c("smtp:home", "send", to="x", text="y")',
    ),
    "send from Note alias2": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'one = ctx\n        one.call("smtp:home", "send", to="x", text="y")',
    ),
    "send from Note class": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'Helper().go(ctx)\n\n\nclass Helper:\n    def go(self, ctx):\n        ctx.call("smtp:home", "send")',
    ),
    "send from Note nested if": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'go(ctx)\n\n\nif True:\n    def go(ctx):\n        ctx.call("smtp:home", "send", to="x", text="y")',
    ),
    "send from Note lambda": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        '(lambda c: c.call("smtp:home", "send", to="x", text="y"))(ctx)',
    ),
    "send from Note module lambda": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'GO(ctx)\n\n\nGO = lambda c: c.call("smtp:home", "send", to="x", text="y")',
    ),
    "send from Note via Send": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        "Send.mutate(self, ctx, prepared)",
    ),
    "send from Note star": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'ctx.call(*["smtp:home", "send"], to="x", text="y")',
    ),
    "send from Note const shadow": (
        'ctx.call("table:out", "append", rows=[{"n": prepared.data}])',
        'T = "smtp:home"\n        ctx.call(T, "send", to="x", text="y")',
    ),
    "inherit": ("class Note:", "class Note(Send):"),
    "mutate = ": (
        '        ctx.call("table:out", "append", rows=[{"n": prepared.data}])\n',
        '        ctx.call("table:out", "append", rows=[{"n": prepared.data}])\n\n    mutate = Send.mutate\n',
    ),
    "after": ("@flow.job", "Note.mutate = Send.mutate\n\n\n@flow.job"),
    "handlers dict": ("@flow.job", 'flow.handlers["Note"].approve = "never"\n\n\n@flow.job'),
    "handlers body": ("@flow.job", 'flow.handlers["Note"].body.mutate = Send.mutate\n\n\n@flow.job'),
    "command run alias": ("    ctx.done(", '    r = ctx.run\n    r(["curl"])\n    ctx.done('),
    "sys.modules": ("import dayhand\n", 'import dayhand\nsys.modules["dayhand"] = None\n'),
    "__import__": ("    found = ctx.call(", '    __import__("subprocess")\n    found = ctx.call('),
    "json patched": ("@flow.job", "json.dumps = print\n\n\n@flow.job"),
    "approve var": ('approve="always"', 'approve="al" "ways" if 0 else "never"'),
    "approve splat": (
        'subscribe=[mails], publishes=[sent], approve="always"',
        '**{"subscribe": [mails], "publishes": [sent], "approve": "never"}',
    ),
    "second Workflow call": (
        'connections=["imap:home", "table:out", "smtp:home"]',
        'connections=["imap:home", "table:out", "smtp:home", "x:y"]',
    ),
}
"""Old and new text."""
UNASKED = {
    "parameter": ('rows=[{"n": prepared.data}]', 'rows=[{"n": int(prepared.data or 0)}]'),
    "one more parameter": ('rows=[{"n": prepared.data}])', 'rows=[{"n": prepared.data}], x=1)'),
    "what was prepared": ("data=len(batch))", "data=len(batch) or 0)"),
    "what it was prepared from": ("batch = ctx.peek(sent)", "batch = ctx.peek(sent, limit=5)"),
    "whether it comes to that": (
        '        ctx.call("table:out"',
        '        if not prepared.data:\n            return\n        ctx.call("table:out"',
    ),
    "whether it is prepared": (
        "        return dayhand.prepared(reserve=batch, data=len",
        "        if not batch:\n            return None\n        return dayhand.prepared(reserve=batch, data=len",
    ),
    "in a function of the file": (
        'rows=[{"n": prepared.data}]',
        "rows=wrap(prepared)",
    ),
}
FREE = {
    "title get": ('title=one["subject"])', 'title=one.get("subject", ""))'),
    "schedule": ('every="5m"', 'every="10m"'),
    "log": ('ctx.log(mail["subject"])', 'ctx.log(mail.get("subject"))'),
    "cursor": ('state["uid"] = mail["uid"]', 'state["uid"] = int(mail["uid"])'),
    "done": ('ctx.done("Backed up " + folder)', 'ctx.done(f"Backed up {folder}")'),
    "text": ('text=prepared.data["ids"][0]', 'text=str(prepared.data["ids"][:1])'),
    "more after the action": (
        "        for one in prepared.data",
        '        ctx.log("x")\n        for one in prepared.data',
    ),
    "state none": ("    return state\n", "    return state or {}\n"),
    "except": (
        '        state["uid"] = mail["uid"]',
        '        try:\n            state["uid"] = mail["uid"]\n        except KeyError:\n            pass',
    ),
}


def change(old: str, new: str) -> str:
    assert old in SCRIPT
    return SCRIPT.replace(old, new, 1)


@pytest.mark.parametrize("how", ASKED)
def test_a_changed_id_or_command_always_needs_approval(how: str) -> None:
    result = compare_scripts(SCRIPT, change(*ASKED[how]))
    assert result.refused == ()
    assert result.asks


@pytest.mark.parametrize("how", REFUSED)
def test_hidden_behaviour_is_refused(how: str) -> None:
    assert compare_scripts(SCRIPT, change(*REFUSED[how])).refused


@pytest.mark.parametrize("how", UNASKED)
def test_a_changed_action_of_an_unapproved_consumer_needs_approval(how: str) -> None:
    result = compare_scripts(SCRIPT, change(*UNASKED[how]))
    assert result.asks == ("It changes what Note does without asking you.",)
    for asking in ("always", "first"):
        with_approval = change('approve="never"', f'approve="{asking}"')
        assert compare_scripts(with_approval, with_approval.replace(*UNASKED[how], 1)).asks == (), (
            "every action is approved by the user"
        )
    silent = change(', approve="never"', "")
    assert compare_scripts(silent, silent.replace(*UNASKED[how], 1)).asks == result.asks


def test_a_removed_condition_counts_as_a_change() -> None:
    guarded = change('        ctx.call("table:out"', '        if prepared.data > 5:\n            ctx.call("table:out"')
    assert compare_scripts(guarded, guarded.replace("prepared.data > 5", "True")).asks
    assert compare_scripts(guarded, guarded.replace("if prepared.data > 5:", "for _ in range(2):")).asks


def test_an_action_in_a_function_that_mutate_calls_counts() -> None:
    """Even through another function."""
    file = "def file(ctx, rows):\n    ctx.call('table:out', 'append', rows=rows)\n\n\n"
    helper = f"{file}def pass_on(ctx, n):\n    file(ctx, n)\n"
    script = change('ctx.call("table:out", "append", rows=[{"n": prepared.data}])', "pass_on(ctx, [prepared.data])")
    script = script.replace("def clean(", f"{helper}\n\ndef clean(", 1)
    assert compare_scripts(script, script.replace("rows=rows", "rows=rows * 2")).asks
    assert compare_scripts(script, script.replace("file(ctx, n)", "file(ctx, n + n)")).asks
    assert compare_scripts(script, script.replace("title=one", "title='' + one")).asks == ()


def test_values_that_prepare_computes_count() -> None:
    named = change('data={"ids": [one.id for one in batch]}, say="x")', 'data={"ids": ids}, say="x")').replace(
        "batch = ctx.peek(mails)\n", "batch = ctx.peek(mails)\n        ids = [one.id for one in batch]\n"
    )
    [question] = compare_scripts(named, named.replace("ids = [one.id for", 'ids = [one.id + "x" for')).asks
    assert "(id=)" in question


@pytest.mark.parametrize("how", FREE)
def test_an_honest_repair_needs_no_approval(how: str) -> None:
    result = compare_scripts(SCRIPT, change(*FREE[how]))
    assert (result.refused, result.asks, result.is_same) == ((), (), False)


def test_constructs_of_the_original_script_are_allowed() -> None:
    """An author may use getattr; a repair elsewhere in such a script is fine."""
    bold = change("found = ctx.call(", 'print(getattr(ctx, "origin"), vars(flow))\n    found = ctx.call(')
    result = compare_scripts(bold, bold.replace('title="sent"', 'title="Sent"'))
    assert (result.refused, result.asks) == ((), ())


@pytest.mark.parametrize("more", ["X = " + "-" * 20_000 + "1\n", "X = a" + ".b" * 20_000 + "\n", "# long" * 20_000])
def test_a_script_that_would_take_for_ever_to_compare_is_refused(more: str) -> None:
    assert compare_scripts(SCRIPT, SCRIPT + more).refused


def test_endless_dependencies_count_as_a_whole() -> None:
    chain = "".join(f"a{number} = a{number - 1}\n" for number in range(200, 0, -1)) + "PREFIX = a200\n"
    long = change('PREFIX = "m"\n', f'a0 = "m"\n{chain}')
    assert compare_scripts(long, long.replace('a0 = "m"', 'a0 = "n"')).asks


def test_an_id_from_state_depends_on_what_is_returned() -> None:
    counting = change('id=PREFIX + one["id"]', 'id=str(state["n"])').replace("emit(ctx, one)", "emit(ctx, one, state)")
    counting = counting.replace("emit(ctx, mail)", "emit(ctx, mail, state)")
    assert compare_scripts(counting, counting.replace("    return state\n", '    return {"n": 1}\n')).asks


def test_a_redefined_builtin_is_not_assumed_harmless() -> None:
    odd = change('PREFIX = "m"\n', 'PREFIX = "m"\nlen = lambda them: [one.clear() for one in them]\n')
    assert compare_scripts(odd, odd.replace("    for mail in found:", "    len(found)\n    for mail in found:")).asks
