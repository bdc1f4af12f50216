"""The package's types help an author's editor: type checkers accept good scripts and find mistakes before a deploy."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import dayhand
import pytest
from dayhand import _questions
from dayhand import _setting_types as types

from scheduler.timing import policies

ROOT = Path(__file__).parents[2]
SDK = Path(dayhand.__file__).parents[1]
_BLOCK = re.compile(r'^```python\n("""(\w[\w ]*):.*?)^```$', re.MULTILINE | re.DOTALL)

MISTAKES = """\
import dayhand

flow = dayhand.Workflow("Mistakes", connections="files:inbox")  # error
found = flow.topic("found")


@flow.job(every="1h", retry=3)  # error
def a_setting_that_does_not_exist(ctx: dayhand.JobContext) -> None:
    ctx.publsh(found)  # error
    ctx.run("ls -l")  # error


@flow.job(every="1h", overlap="queue")  # error
def an_unknown_choice(ctx):
    pass


@flow.job  # error
def no_parentheses(ctx):
    pass


@flow.producer(every="1h", publishes=["found"])  # error
def no_topic(ctx: dayhand.ProducerContext, state: dict):
    ctx.publish(found, "1")  # error
    ctx.done("Checked")  # error


@flow.producer(every="1h", publishes=[found])  # error
def no_state(ctx):
    pass


@flow.consumer(subscribe=found)  # error
class OneTopic:
    def prepare(self, ctx: dayhand.PrepareContext, state: dict) -> "dayhand.Prepared | dayhand.Nothing":
        return {"reserve": ctx.peek(found)}  # error

    def next(self, ctx: dayhand.NextContext, prepared: dayhand.Prepared, result, state: dict):
        ctx.done(prepared.text)  # error
        if ctx.outcome == "rejected":  # error
            return state


@flow.consumer(subscribe=[found], approve=True)  # error
class NoPrepare:  # error
    pass
"""


def scripts() -> dict[str, str]:
    """Every complete script of the guide and the README, and every template."""
    pages = [ROOT / "README.md", ROOT / "resources" / "guide.md"]
    found = {
        title.lower().replace(" ", "_"): text for page in pages for text, title in _BLOCK.findall(page.read_text())
    }
    return found | {path.stem: path.read_text() for path in (ROOT / "resources" / "templates").glob("*.py")}


def check(folder: Path, *options: str) -> list[str]:
    """What mypy says about all scripts in the folder."""
    command = [sys.executable, "-m", "mypy", "--check-untyped-defs", f"--cache-dir={folder / 'cache'}", *options]
    done = subprocess.run(
        [*command, *sorted(path.name for path in folder.glob("*.py"))],
        cwd=folder,
        env={"MYPYPATH": str(SDK)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_mypy_accepts_the_scripts_of_the_guide_and_the_templates(tmp_path: Path) -> None:
    for name, text in scripts().items():
        (tmp_path / f"{name}.py").write_text(text)
    assert len(list(tmp_path.iterdir())) > 15
    # The empty lists and dicts at the top of a template are its questions.
    assert check(tmp_path, "--disable-error-code=var-annotated")[:-1] == []


def test_mypy_finds_the_mistakes_of_a_script(tmp_path: Path) -> None:
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    found = {int(line.split(":")[1]) for line in check(tmp_path, "--strict-equality") if ": error:" in line}
    assert found == {number for number, line in enumerate(MISTAKES.splitlines(), 1) if line.endswith("# error")}


@pytest.mark.parametrize(
    ("alias", "values"),
    [
        (types.Overlap, policies.Overlap),
        (types.Catchup, policies.Catchup),
        (types.Need, policies.Need),
        (types.QuestionKind, _questions.KINDS),
    ],
)
def test_the_choices_are_those_that_exist(alias: object, values: object) -> None:
    assert set(get_args(alias)) == set(values)  # type: ignore[call-overload]


def test_they_are_not_loaded_when_a_script_runs() -> None:
    code = "import sys, dayhand; print(*sorted(name for name in sys.modules if name.startswith('dayhand._')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "dayhand._workflow" in done.stdout
    assert "_types" not in done.stdout
