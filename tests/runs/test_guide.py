"""The author's guide: every script in it runs, every command in it exists, every table in it is complete."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import dayhand
import pytest
from dayhand import _context
from dayhand import _workflow as written

from app.cli import command_line
from scheduler.connections.connector import Connector
from scheduler.connections.registry import Registry, builtin_registry
from scheduler.rules.mutations import MutationStatus
from scheduler.rules.phases import HandlerKind, RunStatus
from scheduler.timing.policies import Catchup, Need, Overlap
from scheduler.workers.environments import parse_dependencies
from tests.engine.engine_fixture import HOUR, MINUTE
from tests.runs import runtime_fixture
from tests.runs.runtime_fixture import FakeService, RuntimeFixture

GUIDE = (Path(__file__).parents[2] / "resources" / "guide.md").read_text()
_BLOCK = re.compile(r"^(<!-- fragment -->\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(bool(mark), language, text) for mark, language, text in _BLOCK.findall(GUIDE)]
SCRIPTS = {
    re.findall(r'^"""(\w[\w ]*):', text)[0]: text
    for mark, language, text in BLOCKS
    if language == "python" and not mark
}
FRAGMENTS = [text for mark, language, text in BLOCKS if language == "python" and mark]
COMMANDS = [line[2:] for _, language, text in BLOCKS if language == "console" for line in text.splitlines()]


@dataclass
class Home(FakeService):
    """The built-in tools; notifications are recorded."""

    def __post_init__(self) -> None:
        self.notifications: list[tuple[str, str]] = []

    def registry(self) -> Registry:
        return builtin_registry(lambda title, text: self.notifications.append((title, text)))


class Author:
    """An author who follows the guide, with their own runtime and folders."""

    def __init__(self, runtime: RuntimeFixture, places: Path) -> None:
        self.runtime = runtime
        self.places = places
        self.slug = ""

    def deploy(self, source: str) -> None:
        file = self.places / "script.py"
        for name in sorted(set(re.findall(r'"((?:files|table):\w+)"', source))):
            self.runtime.services.connect(name, {"path": str(self.place(name))})
        self.slug = self.runtime.deploy(source, path=str(file))["workflow"]
        self.runtime.tick()

    def place(self, connection: str) -> Path:
        """A folder of files, or a table."""
        kind, _, name = connection.partition(":")
        if kind == "table":
            return self.places / f"{name}.csv"
        folder = self.places / name
        folder.mkdir(exist_ok=True)
        return folder

    def publish(self, topic: str, identity: str, data: Any = None) -> None:
        self.runtime.publish(identity, data, workflow=self.slug, topic=topic)
        self.runtime.tick()

    def wait(self, span: timedelta) -> None:
        self.runtime.clock.move(span)
        self.runtime.tick()

    def approve(self) -> str:
        """Approve the only request; returns its sentence."""
        [request] = self.runtime.requests()
        self.runtime.request_commands.approve(request.id)
        self.runtime.tick()
        return request.sentence

    def lines(self, table: str) -> list[str]:
        """The rows below the column names."""
        file = self.place(f"table:{table}")
        return file.read_text().splitlines()[1:] if file.exists() else []

    @property
    def summaries(self) -> list[str]:
        """What the runs did, without what producers found."""
        rows = self.runtime.runs(workflow=self.slug)
        return [run.summary for run in rows if run.summary and run.kind is not HandlerKind.PRODUCER]

    @property
    def home(self) -> Home:
        assert isinstance(self.runtime.service, Home)
        return self.runtime.service


@pytest.fixture
def author(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Author]:
    monkeypatch.setattr(runtime_fixture, FakeService.__name__, Home)
    places = tmp_path / "places"
    places.mkdir()
    runtime = RuntimeFixture(tmp_path / "data")
    yield Author(runtime, places)
    runtime.close()


def free_space(author: Author) -> None:
    """Each run reports what the previous one found."""
    for _ in range(2):
        author.runtime.commands.run("free-space")
        author.runtime.tick()
    first, second = author.summaries
    assert first.endswith(" GB free")
    assert second.endswith(" GB last time")
    assert "Filesystem" in author.runtime.log(author.runtime.runs(workflow="free-space")[0].id)


def readings(author: Author) -> None:
    """Twelve files: ten at once, the others half a minute later, each after an approval and only once."""
    for number in range(12):
        (author.place("files:meter") / f"{number:02}.txt").write_text(f"{number * 100}\n")
    author.runtime.commands.run("readings")
    author.runtime.tick()
    assert author.lines("readings") == []
    assert author.approve() == "Add readings to the table: 10"
    author.wait(MINUTE)
    assert author.approve() == "Add readings to the table: 2"
    assert author.lines("readings") == [f"{number:02}.txt,{number * 100}" for number in range(12)]
    author.wait(5 * MINUTE)
    assert author.summaries == ["Entered 10, 10 so far", "Entered 2, 12 so far"]


def paid(author: Author) -> None:
    author.publish("orders", "o1", {"number": 17})
    author.publish("orders", "o2", {"number": 18})
    author.publish("payments", "p1", {"order": 99, "amount": 1})
    assert author.lines("paid") == []
    author.publish("payments", "p2", {"order": 18, "amount": 40})
    assert author.lines("paid") == ["18,40"]
    assert author.runtime.pending("orders", "paid") == ["o1"]
    assert author.runtime.pending("payments", "paid") == ["p1"]


def door(author: Author) -> None:
    """Each window ends ten minutes after its first ring; a later ring starts another."""

    def visits() -> list[str]:
        return [line.rpartition(",")[2] for line in author.lines("visits")]

    author.publish("rings", "a")
    author.wait(6 * MINUTE)
    author.publish("rings", "b")
    author.wait(3 * MINUTE)
    assert visits() == []
    author.wait(MINUTE)
    assert visits() == ["2"]
    author.publish("rings", "c")
    author.runtime.clock.move(11 * MINUTE)
    author.publish("rings", "d")
    assert visits() == ["2", "1"]
    author.wait(10 * MINUTE)
    assert visits() == ["2", "1", "1"]


def letters(author: Author) -> None:
    """Seven letters at once: five are sent now, the other two after an hour."""
    outbox = author.place("files:outbox")
    for number in range(7):
        author.runtime.publish(f"l{number}", workflow="letters", topic="letters")
    author.runtime.tick()
    assert [file.name for file in outbox.iterdir()] == ["l0.txt"]
    author.wait(MINUTE)
    author.wait(HOUR - 2 * MINUTE)
    assert len(list(outbox.iterdir())) == 1
    author.wait(MINUTE)
    assert (outbox / "l5.txt").read_text() == "l5\nl6"


def digest(author: Author) -> None:
    """It starts at eleven in Berlin: nothing until nine the next morning, then everything at once."""
    author.publish("news", "The library opens again")
    author.wait(20 * HOUR)
    author.publish("news", "The baker is closed")
    assert author.home.notifications == []
    author.wait(2 * HOUR)
    assert author.home.notifications == [("2 news items", "The library opens again\nThe baker is closed")]
    author.publish("news", "The bridge is open")
    author.wait(23 * HOUR)
    assert len(author.home.notifications) == 1
    author.wait(HOUR)
    assert author.home.notifications[1:] == [("1 news items", "The bridge is open")]


def shop(author: Author) -> None:
    """From Monday at 10:00 on: the hours follow from the anchor, not from the deploy."""
    for _ in range(24):
        author.wait(HOUR)
    assert author.summaries == [
        "Shift from 14:00",
        "Shift from 20:00",
        "Shift from 02:00",
        "Shift from 08:00",
        "Opened on Tuesday at 09:00",
    ]
    found = author.runtime.services.engine.context
    row = author.runtime.schedule("open_shop", author.slug)
    _, times = found.compile(row.id, row.spec)
    saturday = datetime(2026, 11, 21, tzinfo=UTC)
    assert [at.hour for at in times.between(saturday, saturday + 24 * HOUR)] == [12]
    author.runtime.commands.run(author.slug, "hand_over")
    author.wait(HOUR)
    assert author.summaries[-1].startswith("Shift from "), "a manual run has no planned time"


def filing(author: Author) -> None:
    """Each letter is filed where the user says, or not at all."""
    answering = author.runtime.request_commands
    author.publish("letters", "l1")
    [asked] = author.runtime.requests()
    assert asked.expires == author.runtime.clock.wall + 48 * HOUR
    answering.answer(asked.id, {"folder": "Invoices", "amount": "12.50"})
    author.runtime.tick()
    assert author.lines("letters") == ["l1,Invoices,12.5"]
    author.publish("letters", "l2")
    answering.reject(author.runtime.requests()[0].id, reason="Not mine")
    author.runtime.tick()
    author.publish("letters", "l3")
    author.runtime.pass_time(49 * HOUR)
    assert author.lines("letters") == ["l1,Invoices,12.5"]
    assert author.summaries == ["Filed in Invoices", "Not filed: Not mine", "Not filed: expired"]


USES: dict[str, Callable[[Author], None]] = {
    "Free space": free_space,
    "Readings": readings,
    "Paid": paid,
    "Door": door,
    "Letters": letters,
    "Digest": digest,
    "Shop": shop,
    "Filing": filing,
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_does_what_the_guide_says(author: Author, name: str) -> None:
    author.deploy(SCRIPTS[name])
    USES[name](author)
    runs = author.runtime.runs(workflow=author.slug)
    assert {run.status for run in runs} == {RunStatus.COMMITTED}
    assert {run.handler for run in runs} == set(
        author.runtime.services.plans.current(author.runtime.database.read(), author.slug).handlers
    )
    acted = [mutation for run in runs if (mutation := author.runtime.mutation(run.id)) is not None]
    assert {row.status for row in acted} == (set() if name in ("Free space", "Shop") else {MutationStatus.APPLIED})
    assert author.runtime.requests() == []


def test_rejecting_skips_the_readings(author: Author) -> None:
    author.deploy(SCRIPTS["Readings"])
    (author.place("files:meter") / "may.txt").write_text("7")
    author.wait(5 * MINUTE)
    [request] = author.runtime.requests()
    assert (request.ui, request.call) == (
        {"Highest": 7},
        {
            "connection": "table:readings",
            "tool": "append",
            "parameters": {"rows": [{"file": "may.txt", "number": 7}]},
            "endpoint": {"path": str(author.place("table:readings")), "table": "rows"},
        },
    )
    author.runtime.request_commands.reject(request.id)
    author.runtime.tick()
    assert author.lines("readings") == []
    assert author.summaries == ["Skipped, as you chose"]
    assert author.runtime.events("found", "readings") == {"may.txt": "skipped"}


def test_remaining_events_are_processed_only_with_wake_at(author: Author) -> None:
    """The guide's warning is true: without wake_at the rest stays where it is."""
    author.deploy(SCRIPTS["Readings"].replace("wake_at=ctx.now if len(batch) == BATCH else None", "wake_at=None"))
    for number in range(12):
        (author.place("files:meter") / f"{number:02}.txt").write_text("1")
    author.wait(5 * MINUTE)
    author.approve()
    author.wait(HOUR)
    assert author.runtime.requests() == []
    assert author.runtime.pending("found", "readings") == ["10.txt", "11.txt"]


def test_the_producer_with_checkpoints_publishes_each_row_once(author: Author) -> None:
    head = 'import dayhand\nflow = dayhand.Workflow("Rows", connections=["table:log"])\nrows = flow.topic("rows")\n'
    tail = "@flow.consumer(subscribe=[rows])\nclass C:\n    prepare = lambda self, ctx, state: dayhand.nothing()\n"
    author.place("table:log").write_text("n\n" + "".join(f"{number}\n" for number in range(1500)))
    author.deploy(head + FRAGMENTS[0] + tail)
    assert author.runtime.state("read", "rows") == {"read": 1500}
    assert len(author.runtime.events("rows", "rows")) == 1500
    [run] = author.runtime.runs("read", "rows")
    assert run.status is RunStatus.COMMITTED


def test_the_dependency_block_is_read() -> None:
    needs = parse_dependencies(FRAGMENTS[1])
    assert (needs.packages, needs.python) == (("python-dateutil>=2.9",), ">=3.10")


def test_the_handlers_with_types_can_be_deployed() -> None:
    head = 'import dayhand\nflow = dayhand.Workflow("Typed")\nfound = flow.topic("found")\n'
    module = ModuleType("typed")
    exec(compile(head + FRAGMENTS[2], "guide.md", "exec"), vars(module))
    written.defined.clear()
    assert [one["name"] for one in dayhand.describe(module)["handlers"]] == ["check", "Enter", "tidy"]


def test_the_test_of_a_script_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "readings.py").write_text(SCRIPTS["Readings"])
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "readings", raising=False)
    names: dict[str, Any] = {}
    exec(compile(FRAGMENTS[3], "guide.md", "exec"), names)
    names["test_it_is_a_workflow"]()
    monkeypatch.delitem(sys.modules, "readings")
    written.defined.clear()
    assert len(FRAGMENTS) == 5


def test_the_job_with_a_ping_can_be_deployed() -> None:
    module = ModuleType("backup")
    head = 'import dayhand\nflow = dayhand.Workflow("Backup")\n'
    exec(compile(head + FRAGMENTS[4], "guide.md", "exec"), vars(module))
    written.defined.clear()
    described = dayhand.describe(module)
    assert described["connections"] == [described["handlers"][0]["ping"]] == ["ping:backup"]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_exists_with_its_options(command: str) -> None:
    program, *words = shlex.split(command)
    assert program == "dayhand"
    if words[0].startswith("-"):
        words = ["start", *words]
    assert words[0] in command_line.VERBS
    options, unknown = command_line._parser().parse_known_args(words)
    assert (unknown, callable(options.run)) == ([], True)


def test_every_command_in_the_text_exists() -> None:
    verbs = set(re.findall(r"`dayhand ([a-z][a-z-]*)", GUIDE))
    assert {"deploy", "publish", "rollback"} <= verbs <= set(command_line.VERBS)


def rows_of(head: str) -> list[list[str]]:
    """The cells of the table with that header."""
    body = GUIDE.split(f"\n{head}\n", 1)[1].splitlines()[1:]
    lines = body[: body.index("")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize("phase", _context.CONTEXTS)
def test_the_table_of_ctx_lists_what_each_phase_offers(phase: str) -> None:
    listed = set()
    for name, places, _ in rows_of("| `ctx.` | in | what it does |"):
        if places == "all" or phase in places.split(", "):
            listed |= set(re.findall(r"^`(\w+)", name))
    offered = {word for word in dir(_context.CONTEXTS[phase]) if not word.startswith("_") and word != "phase"}
    assert listed == offered


def test_the_tables_of_settings_list_every_setting_and_value() -> None:
    times = {word for row in rows_of("| setting | example | meaning |") for word in re.findall(r"`(\w+)`", row[0])}
    policies = rows_of("| policy | values | default |")
    names = {row[0].split("`")[1] for row in policies}
    assert times == set(written._TIMES)
    own = {"run_on_deploy", "after_crash", "timeout", "max_failures", "retries", *written._WATCHED}
    assert names == {*written._TIMED, *own} - times
    values = {row[0].split("`")[1]: set(re.findall(r"`(\w+)`", row[1])) for row in policies}
    for name, words in (("overlap", Overlap), ("catchup", Catchup), ("needs", Need)):
        assert values[name] == {word.value for word in words}


def test_the_table_of_tools_lists_every_tool_with_its_parameters() -> None:
    registry = builtin_registry(lambda *_: None)
    listed = {}
    for tool, parameters, acts, _ in rows_of("| tool | parameters | acts | returns |"):
        kind, name = re.findall(r"`(\w+):?`", tool)
        listed[kind, name] = (set(re.findall(r"`(\w+=?)`", parameters)), acts)
    kinds = ("files", "table", "notify")
    assert listed == {key: value for kind in kinds for key, value in described(registry.connector(kind)).items()}


def described(connector: Connector) -> dict[tuple[str, str], tuple[set[str], str]]:
    rows = {}
    for tool in connector.tools:
        parameters = {name if one.required else f"{name}=" for name, one in tool.parameters.items()}
        acts = "asks" if tool.acts_on_others else "yes" if tool.mutating else ""
        rows[connector.kind, tool.name] = (parameters, acts)
    return rows


def test_the_guide_names_everything_that_the_package_offers_for_scripts() -> None:
    for name in ("Workflow", "prepared", "nothing", "ask", "describe", "CommandFailed"):
        assert name in dayhand.__all__
        assert f"dayhand.{name}" in GUIDE
