"""Validation: every error names the file, the line and the fix."""

import zipfile
from pathlib import Path

import pytest

from scheduler.connections.registry import builtin_registry
from scheduler.engine.runs.script_workers import ScriptWorkers
from scheduler.engine.workflows.validation import InvalidScriptError, ScriptValidator
from scheduler.store import workflows
from scheduler.workers.environments import find_uv
from scheduler.workers.script import Limits
from tests.engine.engine_fixture import HOUR
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import HEAD, consumer, job, prepare, producer

FLOW = 'import dayhand\nflow = dayhand.Workflow("W", connections=["world:x"])\nt = flow.topic("t")\n'
JOB = "@flow.job(every='1h')\ndef j(ctx):\n"
LISTENS = (
    "@flow.consumer(subscribe=[t])\nclass C:\n    def prepare(self, ctx, state):\n        return dayhand.nothing()\n"
)


def consumer_class(body: str) -> str:
    return f"{FLOW}@flow.consumer(subscribe=[t])\nclass C:\n{body}"


BAD = {
    "no workflow": (
        "x = 1\n",
        "w.py, line 1: this file defines no workflow; write flow = dayhand.Workflow('Receipts').",
    ),
    "no handler": (FLOW, "w.py, line 2: W has no handler; add a function with @flow.producer(…) or @flow.job(…)."),
    "two workflows": (
        f"{FLOW}dayhand.Workflow('V')\n",
        "w.py, line 4: this file defines two workflows; put each in its own file.",
    ),
    "unknown topic": (
        f"{FLOW}@flow.producer(every='1h', publishes=['u'])\ndef p(ctx, state):\n    pass\n",
        "w.py, line 4: publishes contains 'u', which is not a topic; write mails = flow.topic('mails') first.",
    ),
    "published and never subscribed": (
        f"{FLOW}@flow.producer(every='1h', publishes=[t])\ndef p(ctx, state):\n    pass\n",
        "w.py, line 4: p publishes to t, but no consumer subscribes to it; add subscribe=[t] to a consumer, or stop",
    ),
    "consumer without prepare": (
        consumer_class("    pass\n"),
        "w.py, line 4: C has no prepare; add def prepare(self, ctx, state) and return dayhand.prepared(…).",
    ),
    "publishes without next": (
        f"{FLOW}@flow.consumer(subscribe=[t], publishes=[t])\nclass C:\n    def prepare(self, ctx, state): ...\n",
        "w.py, line 4: C publishes but has no next; add def next(self, ctx, prepared, result, state) and publish",
    ),
    "bad interval": (
        f"{FLOW}\n@flow.job(every='5 weeks')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: every: ",
    ),
    "too often": (f"{FLOW}\n@flow.job(every='5s')\ndef j(ctx):\n    pass\n", "w.py, line 5: every: "),
    "bad anchor": (
        f"{FLOW}\n@flow.job(every='2h', anchor='soon')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: anchor: 'soon' is not a date and time",
    ),
    "bad calendar": (
        f"{FLOW}\n@flow.job(calendar=[{{'hour': 9}}, {{'hour': 25}}])\ndef j(ctx):\n    pass\n",
        "w.py, line 5: hour: ",
    ),
    "bad cron": (f"{FLOW}\n@flow.job(cron='61 * * * *')\ndef j(ctx):\n    pass\n", "w.py, line 5: minute: "),
    "cron that never comes": (f"{FLOW}\n@flow.job(cron='0 0 30 2 *')\ndef j(ctx):\n    pass\n", "w.py, line 5: day: "),
    "unknown zone": (
        f"{FLOW}\n@flow.job(cron='0 9 * * *', timezone='Europe/Brelin')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: timezone: ",
    ),
    "unknown policy": (
        f"{FLOW}\n@flow.job(every='1h', overlap='queue')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: overlap: ",
    ),
    "bad window": (
        f"{FLOW}\n@flow.job(every='1h', catchup_window='soon')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: catchup_window: ",
    ),
    "bad timeout": (
        f"{FLOW}\n@flow.job(every='1h', timeout='soon')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: timeout: ",
    ),
    "a time that has passed": (
        f"{FLOW}\n@flow.job(once='2020-01-01T09:00')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: schedule: it has no time in the future; choose a later or wider one.",
    ),
    "side by side outside jobs": (
        f"{FLOW}{LISTENS}@flow.producer(every='1h', overlap='allow_all', publishes=[t])\ndef p(ctx, state): ...\n",
        "w.py, line 8: overlap='allow_all' is for jobs",
    ),
    "unknown kind of connection": (
        f"{FLOW.replace('world:x', 'moon:x')}{JOB}    pass\n",
        "w.py, line 2: ",
    ),
    "connection not named": (
        f"{FLOW}{JOB}    ctx.call('world:y', 'look')\n",
        "w.py, line 6: world:y is not among the connections of W; write dayhand.Workflow('W', connections=[…, 'wor",
    ),
    "unknown tool": (f"{FLOW}{JOB}    ctx.call('world:x', 'fly')\n", "w.py, line 6: "),
    "acting in a job": (
        f"{FLOW}{JOB}    ctx.call('world:x', 'act')\n",
        "w.py, line 6: act of world:x is an action, and job may only read; call it in mutate.",
    ),
    "acting in a producer": (
        f"{FLOW}{LISTENS}@flow.producer(every='1h', publishes=[t])\ndef p(ctx, _):\n    ctx.call('world:x', 'act')\n",
        "w.py, line 10: act of world:x is an action, and producer may only read; call it in mutate.",
    ),
    "acting in prepare": (
        consumer_class(
            "    def prepare(self, ctx, state):\n        ctx.call('world:x', 'act')\n        return dayhand.nothing()\n"
        ),
        "w.py, line 7: act of world:x is an action, and prepare may only read; call it in mutate.",
    ),
    "acting in next": (
        consumer_class(
            "    def prepare(self, ctx, state):\n        return dayhand.nothing()\n"
            "    def next(self, ctx, prepared, result, state):\n        ctx.call('world:x', 'act')\n"
        ),
        "w.py, line 9: act of world:x is an action, and next may only read; call it in mutate.",
    ),
    "reading in mutate": (
        consumer_class(
            "    def prepare(self, ctx, state):\n        return dayhand.nothing()\n"
            "    def mutate(self, ctx, prepared):\n        ctx.call('world:x', 'look')\n"
        ),
        "w.py, line 9: look of world:x only reads; call it in prepare, and let mutate act.",
    ),
    "not Python": (f"{FLOW}def (\n", "w.py, line 4: "),
    "not a text": (f"{FLOW}x = '\0'\n", "w.py, line 1: SyntaxError: "),
    "raises": (f"{FLOW}1 / 0\n", "w.py, line 4: "),
    "raises without a word": (f"{FLOW}raise KeyboardInterrupt\n", "w.py, line 4: KeyboardInterrupt"),
    "dies": (f"{FLOW}import os; os._exit(0)\n", "w.py: The script exited its own process with code 0."),
    "imports from its folder": (
        f"{FLOW}from . import other\n",
        "w.py, line 4: ImportError: attempted relative import with no known parent package. A workflow is a single",
    ),
    "unknown setting": (
        f"{FLOW}@flow.job(evry='1h')\ndef j(ctx):\n    pass\n",
        "w.py, line 4: job has no setting evry; did you mean every?",
    ),
    "other parameters": (
        f"{FLOW}@flow.job(every='1h')\ndef j():\n    pass\n",
        "w.py, line 4: j does not have the parameters of a job; write def j(ctx).",
    ),
    "prepare returns a dict": (
        consumer_class("    def prepare(self, ctx, state):\n        return {'x': 1}\n"),
        "w.py, line 7: prepare returns a dict; return dayhand.prepared(…) or dayhand.nothing().",
    ),
    "prepare never returns": (
        consumer_class("    def prepare(self, ctx, state):\n        ctx.peek(t)\n"),
        "w.py, line 6: prepare returns nothing; return dayhand.prepared(…) or dayhand.nothing().",
    ),
    "unknown keyword of prepared": (
        consumer_class("    def prepare(self, ctx, state):\n        return dayhand.prepared(events=[])\n"),
        "w.py, line 7: dayhand.prepared has no parameter events; it has reserve, data, say, ui, wake_at, ask.",
    ),
    "bad dependencies": (
        f"# /// script\n# dependencies = 7\n# ///\n{FLOW}{JOB}    pass\n",
        "w.py, line 1: dependencies is not a list",
    ),
    "too large": (
        f"{FLOW}{JOB}    '{'x' * 1_000_000}'\n",
        "w.py: a script can have at most 1,000,000 characters; move data into files.",
    ),
}


@pytest.mark.parametrize(("source", "sentence"), BAD.values(), ids=list(BAD))
def test_a_mistake_is_named_with_file_line_and_fix(runtime: RuntimeFixture, source: str, sentence: str) -> None:
    with pytest.raises(InvalidScriptError) as refused:
        runtime.services.validation.validate("/somewhere/w.py", source)
    [message] = refused.value.sentences
    assert message.startswith(sentence) and len(message) > len("w.py, line 5: "), message
    assert workflows.list_all(runtime.database.read()) == []


def test_all_schedule_and_tool_errors_are_reported_at_once(runtime: RuntimeFixture) -> None:
    source = (
        f"{FLOW}@flow.job(every='1s')\ndef j(ctx):\n    ctx.call('world:x', 'act')\n    ctx.call('world:x', 'fly')\n"
    )
    with pytest.raises(InvalidScriptError) as refused:
        runtime.services.validation.validate("w.py", source)
    assert [sentence.partition(":")[0] for sentence in refused.value.sentences] == [
        "w.py, line 4",
        "w.py, line 6",
        "w.py, line 7",
    ]


def test_a_tool_used_in_a_function_of_the_file_is_found(runtime: RuntimeFixture) -> None:
    source = f"{FLOW}NAME = 'world:x'\ndef send(ctx):\n    ctx.call(NAME, 'act')\n{JOB}    send(ctx)\n"
    with pytest.raises(InvalidScriptError, match=r"line 6: act of world:x is an action, and job may only read"):
        runtime.services.validation.validate("w.py", source)


@pytest.mark.parametrize("source", [consumer(), job("pass"), producer(), prepare("return dayhand.nothing()")])
def test_validation_changes_nothing(runtime: RuntimeFixture, source: str) -> None:
    """As for `deploy --check`."""
    checked = runtime.services.validation.validate("w.py", source)
    assert (checked.slug, checked.warnings, checked.described["name"]) == ("w", (), "W")
    assert workflows.list_all(runtime.database.read()) == [] and runtime.runs() == []


def test_two_consumers_of_one_topic_give_a_warning(runtime: RuntimeFixture) -> None:
    second = LISTENS.replace("class C", "class D")
    checked = runtime.services.validation.validate("w.py", FLOW + LISTENS + second)
    assert checked.warnings == ("C and D both take events from t: each event goes to the one that reserves it first.",)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("'list', patern='*'", 'list has no parameter "patern". Did you mean "pattern"?'),
        ("'read'", 'read needs "path": a text.'),
        ("'list', pattern=5", '"pattern" of list takes a text, not a whole number.'),
    ],
)
def test_wrong_parameters_of_a_tool_are_found(runtime: RuntimeFixture, call: str, sentence: str) -> None:
    runtime.services.validation._registry = builtin_registry(lambda _title, _text: None)
    source = (
        f"import dayhand\nflow = dayhand.Workflow('W', connections=['files:a'])\n{JOB}    ctx.call('files:a', {call})\n"
    )
    with pytest.raises(InvalidScriptError) as refused:
        runtime.services.validation.validate("w.py", source)
    assert refused.value.sentences == [f"w.py, line 5: {sentence}"]


def test_a_name_that_ctx_does_not_have_is_found(runtime: RuntimeFixture) -> None:
    with pytest.raises(InvalidScriptError, match=r"w\.py, line \d+: ctx has no rum; did you mean run\?"):
        runtime.services.validation.validate("w.py", job("ctx.rum(['ls'])"))


def test_a_mutate_without_a_call_gives_a_warning(runtime: RuntimeFixture) -> None:
    source = f"{FLOW}{LISTENS}    def mutate(self, ctx, prepared):\n        pass\n"
    (warning,) = runtime.services.validation.validate("w.py", source).warnings
    assert "C.mutate makes no call" in warning


def test_output_while_loading_is_harmless(runtime: RuntimeFixture) -> None:
    output: list[str] = []
    checked = runtime.services.validation.validate("w.py", f"print('hello')\n{job('pass')}", output.append)
    assert checked.slug == "w"


def test_a_script_that_never_finishes_loading_is_refused_with_the_line_it_is_stuck_at(runtime: RuntimeFixture) -> None:
    script_workers = ScriptWorkers(runtime.folder, Limits(start=1))
    validation = ScriptValidator(runtime.engine.context, runtime.services.registry, script_workers)
    with pytest.raises(InvalidScriptError) as refused:
        validation.validate("/somewhere/w.py", "def wait():\n    while True:\n        pass\n\nwait()\n")
    lines = [f"w.py, line {line}: the script did not finish loading within 1 second." for line in (2, 3)]
    assert str(refused.value) in lines
    script_workers.close()


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one small package, without network access."""
    if find_uv() is None:
        pytest.skip("uv is not installed")
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "WORD = 'tiny'\n")
        wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    for name, value in (("FIND_LINKS", folder), ("NO_INDEX", 1), ("OFFLINE", 1), ("CACHE_DIR", tmp_path / "cache")):
        monkeypatch.setenv(f"UV_{name}", str(value))
    return folder


def test_a_script_gets_its_dependencies(runtime: RuntimeFixture, wheels: Path) -> None:
    """PEP 723: installed at deploy, available at run time."""
    output: list[str] = []
    source = '# /// script\n# dependencies = ["tiny"]\n# ///\nimport tiny\n' + job("ctx.done(tiny.WORD)")
    runtime.services.validation.validate("w.py", source, output.append)
    assert output, "progress is reported"
    runtime.deploy(source)
    runtime.commands.run("w")
    runtime.tick()
    assert runtime.runs()[-1].summary == "tiny"


def test_an_unavailable_package_is_named(runtime: RuntimeFixture, wheels: Path) -> None:
    source = '# /// script\n# dependencies = ["no-such-thing"]\n# ///\n' + job("pass")
    with pytest.raises(InvalidScriptError, match=r"^w\.py: .*no-such-thing.* could not be installed"):
        runtime.services.validation.validate("w.py", source)


def test_a_missing_module_is_reported_with_the_fix(runtime: RuntimeFixture) -> None:
    with pytest.raises(InvalidScriptError, match="Add the package to the script's dependencies"):
        runtime.services.validation.validate("w.py", f"import nothing_of_the_kind\n{HEAD}")


def test_a_module_next_to_the_script_cannot_be_imported(runtime: RuntimeFixture, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("")
    with pytest.raises(InvalidScriptError, match=r"A workflow is a single file .*: move that code into this file"):
        runtime.services.validation.validate(str(tmp_path / "w.py"), f"import beside\n{HEAD}")


def test_a_deployed_schedule_whose_time_has_passed_stays_valid(runtime: RuntimeFixture) -> None:
    """Other parts of the script can still be changed."""
    source = job("pass", every=None, once="2026-11-16T10:30:00+00:00")  # type: ignore[arg-type]
    runtime.deploy(source)
    runtime.pass_time(HOUR)
    assert runtime.states("j") == ["succeeded"]
    assert runtime.deploy(f"{source}# better\n")["version"] == 2
    with pytest.raises(InvalidScriptError, match=r"line 6: schedule: it has no time in the future"):
        runtime.deploy(source.replace("10:30", "10:40"))


def test_unused_environments_are_removed(runtime: RuntimeFixture, wheels: Path) -> None:
    """Only when unused."""
    needing = f"# /// script\n# dependencies = ['tiny']\n# ///\n{job('pass')}"
    runtime.deploy(needing)
    [place] = [path for path in (runtime.folder / "environments").iterdir() if path.is_dir()]
    assert runtime.services.remove_unused_environments() == []
    runtime.deploy(job("pass"))
    assert runtime.services.remove_unused_environments() == [place.name]
    assert not place.exists()
