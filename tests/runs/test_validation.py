"""Validation: every mistake of a script is named with its file, its line and what to write instead."""

import zipfile
from pathlib import Path

import pytest

from scheduler.engine.runs.workshop import Workshop
from scheduler.engine.workflows.validation import NotValidError, Validation
from scheduler.store import workflows
from scheduler.workers.environments import find_uv
from scheduler.workers.limits import Limits
from tests.engine.harness import HOUR
from tests.runs.scripts import HEAD, consumer, job, prepare, producer
from tests.runs.shop import Shop

FLOW = 'import dayhand\nflow = dayhand.Workflow("W", connections=["world:x"])\nt = flow.topic("t")\n'
JOB = "@flow.job(every='1h')\ndef j(ctx):\n"
LISTENS = (
    "@flow.consumer(subscribe=[t])\nclass C:\n    def prepare(self, ctx, state):\n        return dayhand.nothing()\n"
)


def acts(body: str) -> str:
    return f"{FLOW}@flow.consumer(subscribe=[t])\nclass C:\n{body}"


BAD = {
    "no workflow": (
        "x = 1\n",
        "w.py, line 1: this file defines no workflow; write flow = dayhand.Workflow('Receipts').",
    ),
    "no handler": (FLOW, "w.py, line 2: W has no handler; add a function with @flow.producer(…) or @flow.job(…)."),
    "two workflows": (
        f"{FLOW}dayhand.Workflow('V')\n",
        "w.py, line 4: this file defines two workflows; put each in a file of its own.",
    ),
    "unknown topic": (
        f"{FLOW}@flow.producer(every='1h', publishes=['u'])\ndef p(ctx, state):\n    pass\n",
        "w.py, line 4: publishes has 'u', which is no topic; write mails = flow.topic('mails') first.",
    ),
    "published and never subscribed": (
        f"{FLOW}@flow.producer(every='1h', publishes=[t])\ndef p(ctx, state):\n    pass\n",
        "w.py, line 4: p publishes to t and no consumer subscribes to it; add subscribe=[t] to a consumer, or stop",
    ),
    "consumer without prepare": (
        acts("    pass\n"),
        "w.py, line 4: C has no prepare; add def prepare(self, ctx, state) and return dayhand.prepared(…).",
    ),
    "publishes without next": (
        f"{FLOW}@flow.consumer(subscribe=[t], publishes=[t])\nclass C:\n    def prepare(self, ctx, state): ...\n",
        "w.py, line 4: C publishes and has no next; add def next(self, ctx, prepared, result, state) and publish",
    ),
    "bad interval": (
        f"{FLOW}\n@flow.job(every='5 weeks')\ndef j(ctx):\n    pass\n",
        "w.py, line 5: every: ",
    ),
    "too often": (f"{FLOW}\n@flow.job(every='5s')\ndef j(ctx):\n    pass\n", "w.py, line 5: every: "),
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
        "w.py, line 5: schedule: it has no time after now; give it a later or wider one.",
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
        "w.py, line 6: act of world:x acts, and job may only read; call it in mutate.",
    ),
    "acting in a producer": (
        f"{FLOW}{LISTENS}@flow.producer(every='1h', publishes=[t])\ndef p(ctx, _):\n    ctx.call('world:x', 'act')\n",
        "w.py, line 10: act of world:x acts, and producer may only read; call it in mutate.",
    ),
    "acting in prepare": (
        acts("    def prepare(self, ctx, state):\n        ctx.call('world:x', 'act')\n"),
        "w.py, line 7: act of world:x acts, and prepare may only read; call it in mutate.",
    ),
    "acting in next": (
        acts(
            "    def prepare(self, ctx, state):\n        pass\n"
            "    def next(self, ctx, prepared, result, state):\n        ctx.call('world:x', 'act')\n"
        ),
        "w.py, line 9: act of world:x acts, and next may only read; call it in mutate.",
    ),
    "reading in mutate": (
        acts(
            "    def prepare(self, ctx, state):\n        pass\n"
            "    def mutate(self, ctx, prepared):\n        ctx.call('world:x', 'look')\n"
        ),
        "w.py, line 9: look of world:x only reads; call it in prepare, and let mutate act.",
    ),
    "not Python": (f"{FLOW}def (\n", "w.py, line 4: "),
    "not a text": (f"{FLOW}x = '\0'\n", "w.py, line 1: SyntaxError: "),
    "raises": (f"{FLOW}1 / 0\n", "w.py, line 4: "),
    "raises without a word": (f"{FLOW}raise KeyboardInterrupt\n", "w.py, line 4: KeyboardInterrupt"),
    "dies": (f"{FLOW}import os; os._exit(0)\n", "w.py: The script ended its own process with exit code 0."),
    "imports from its folder": (
        f"{FLOW}from . import other\n",
        "w.py, line 4: ImportError: attempted relative import with no known parent package. A workflow is one file, so",
    ),
    "unknown setting": (
        f"{FLOW}@flow.job(evry='1h')\ndef j(ctx):\n    pass\n",
        "w.py, line 4: job has no setting evry; did you mean every?",
    ),
    "other parameters": (
        f"{FLOW}@flow.job(every='1h')\ndef j():\n    pass\n",
        "w.py, line 4: j has other parameters than a job gets; write def j(ctx).",
    ),
    "bad dependencies": (
        f"# /// script\n# dependencies = 7\n# ///\n{FLOW}{JOB}    pass\n",
        "w.py, line 1: dependencies is not a list",
    ),
    "too large": (
        f"{FLOW}{JOB}    '{'x' * 1_000_000}'\n",
        "w.py: a script has at most 1,000,000 letters; move data into files.",
    ),
}


@pytest.mark.parametrize(("source", "sentence"), BAD.values(), ids=list(BAD))
def test_a_mistake_is_named_with_file_line_and_fix(shop: Shop, source: str, sentence: str) -> None:
    """K9 and its neighbours."""
    with pytest.raises(NotValidError) as refused:
        shop.house.validation.validate("/somewhere/w.py", source)
    [found] = refused.value.sentences
    assert found.startswith(sentence) and len(found) > len("w.py, line 5: "), found
    assert workflows.every_one(shop.database.read()) == []


def test_all_mistakes_of_times_and_tools_are_told_at_once(shop: Shop) -> None:
    source = (
        f"{FLOW}@flow.job(every='1s')\ndef j(ctx):\n    ctx.call('world:x', 'act')\n    ctx.call('world:x', 'fly')\n"
    )
    with pytest.raises(NotValidError) as refused:
        shop.house.validation.validate("w.py", source)
    assert [sentence.partition(":")[0] for sentence in refused.value.sentences] == [
        "w.py, line 4",
        "w.py, line 6",
        "w.py, line 7",
    ]


def test_a_tool_used_in_a_function_of_the_file_is_found(shop: Shop) -> None:
    source = f"{FLOW}NAME = 'world:x'\ndef send(ctx):\n    ctx.call(NAME, 'act')\n{JOB}    send(ctx)\n"
    with pytest.raises(NotValidError, match=r"line 6: act of world:x acts, and job may only read"):
        shop.house.validation.validate("w.py", source)


@pytest.mark.parametrize("source", [consumer(), job("pass"), producer(), prepare("return dayhand.nothing()")])
def test_checking_only_changes_nothing(shop: Shop, source: str) -> None:
    """`deploy --check`: it says what would be deployed."""
    checked = shop.house.validation.validate("w.py", source)
    assert (checked.slug, checked.warnings, checked.described["name"]) == ("w", (), "W")
    assert workflows.every_one(shop.database.read()) == [] and shop.runs() == []


def test_two_consumers_of_one_topic_compete_which_is_a_warning(shop: Shop) -> None:
    second = LISTENS.replace("class C", "class D")
    checked = shop.house.validation.validate("w.py", FLOW + LISTENS + second)
    assert checked.warnings == ("C and D both take events from t: each event goes to the one that reserves it first.",)


def test_what_a_script_prints_while_it_is_loaded_harms_nobody(shop: Shop) -> None:
    said: list[str] = []
    checked = shop.house.validation.validate("w.py", f"print('hello')\n{job('pass')}", said.append)
    assert checked.slug == "w"


def test_a_script_that_never_comes_to_its_end_is_refused(shop: Shop) -> None:
    """L1 for the top level."""
    workshop = Workshop(shop.folder, Limits(start=1))
    validation = Validation(shop.engine.context, shop.house.registry, workshop)
    with pytest.raises(NotValidError, match=r"1 s"):
        validation.validate("w.py", "while True:\n    pass\n")
    workshop.close()


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place with one small package, and nothing from the network."""
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


def test_a_script_gets_the_packages_that_it_names(shop: Shop, wheels: Path) -> None:
    """PEP 723: installed when it is deployed, there when it runs."""
    said: list[str] = []
    source = '# /// script\n# dependencies = ["tiny"]\n# ///\nimport tiny\n' + job("ctx.done(tiny.WORD)")
    shop.house.validation.validate("w.py", source, said.append)
    assert said, "it tells what it is doing"
    shop.deploy(source)
    shop.commands.run("w")
    shop.tick()
    assert shop.runs()[-1].summary == "tiny"


def test_a_package_that_cannot_be_had_is_named(shop: Shop, wheels: Path) -> None:
    source = '# /// script\n# dependencies = ["no-such-thing"]\n# ///\n' + job("pass")
    with pytest.raises(NotValidError, match=r"^w\.py: .*no-such-thing.* could not be installed"):
        shop.house.validation.validate("w.py", source)


def test_a_module_that_is_not_there_is_said_with_what_to_write(shop: Shop) -> None:
    with pytest.raises(NotValidError, match="Name the package in the script's dependencies"):
        shop.house.validation.validate("w.py", f"import nothing_of_the_kind\n{HEAD}")


def test_a_module_that_lies_beside_the_script_is_not_part_of_it(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("")
    with pytest.raises(NotValidError, match=r"A workflow is one file, .*: write it into this file"):
        shop.house.validation.validate(str(tmp_path / "w.py"), f"import beside\n{HEAD}")


def test_a_time_that_has_passed_since_it_was_deployed_is_no_mistake(shop: Shop) -> None:
    """The script can still be changed elsewhere."""
    source = job("pass", every=None, once="2026-11-16T10:30:00+00:00")  # type: ignore[arg-type]
    shop.deploy(source)
    shop.pass_time(HOUR)
    assert shop.states("j") == ["succeeded"]
    assert shop.deploy(f"{source}# better\n")["version"] == 2
    with pytest.raises(NotValidError, match=r"line 6: schedule: it has no time after now"):
        shop.deploy(source.replace("10:30", "10:40"))


def test_packages_that_no_script_needs_any_longer_are_removed(shop: Shop, wheels: Path) -> None:
    """Cleaned when unused, and only then."""
    needing = f"# /// script\n# dependencies = ['tiny']\n# ///\n{job('pass')}"
    shop.deploy(needing)
    [place] = [path for path in (shop.folder / "environments").iterdir() if path.is_dir()]
    assert shop.house.remove_unused_environments() == []
    shop.deploy(job("pass"))
    assert shop.house.remove_unused_environments() == [place.name]
    assert not place.exists()
