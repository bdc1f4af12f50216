"""The registry: known kinds and tools, and errors that say what would be accepted."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scheduler.connections.connector import (
    Call,
    Checked,
    Connector,
    Field,
    FieldKind,
    Parameter,
    ParameterKind,
    Tool,
    ToolFailedError,
)
from scheduler.connections.errors import (
    BadConnectionNameError,
    BadParametersError,
    BadSettingsError,
    ConnectionRuleError,
    UnknownConnectorError,
    UnknownToolError,
)
from scheduler.connections.registry import Registry, builtin_registry, find_free_name, parse_name
from scheduler.rules.failures import FailureClass
from tests.connections.tool_calls import call

ALL_KINDS = {kind.value: Parameter(kind, required=False) for kind in ParameterKind}
LOOK = Tool(name="look", help="", parameters=ALL_KINDS, run=lambda _: None)
SAY = Tool(name="say", help="", parameters={"text": Parameter(ParameterKind.TEXT)}, run=lambda _: None, mutating=True)


def mailbox(**changed: Any) -> Connector:
    described: dict[str, Any] = {
        "kind": "mailbox",
        "title": "Mailbox",
        "help": "",
        "fields": (
            Field(name="host", label="Server", help="As in mail.example.org."),
            Field(name="password", label="Password", secret=True),
            Field(name="port", label="Port", kind=FieldKind.NUMBER, default=993),
            Field(name="safe", label="Encrypted", kind=FieldKind.FLAG, default=True),
            Field(name="mode", label="Mode", kind=FieldKind.CHOICE, choices=("poll", "push"), default="poll"),
            Field(name="folder", label="Folder", kind=FieldKind.PATH, required=False),
        ),
        "tools": (LOOK, SAY),
        "test": lambda _: "It works.",
    }
    return Connector(**{**described, **changed})


REGISTRY = Registry([mailbox(), mailbox(kind="attic", tools=())])
NEEDED = {"host": "h", "password": "hunter2"}


def test_kinds_are_listed_in_order() -> None:
    assert REGISTRY.kinds() == ("attic", "mailbox")
    assert REGISTRY.connector("attic").kind == "attic"


def test_an_unknown_kind_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownConnectorError, match=r'kind "ftp"\. Known kinds: attic, mailbox') as refused:
        REGISTRY.connector("ftp")
    assert isinstance(refused.value, ConnectionRuleError)
    assert refused.value.sentence == str(refused.value)


def test_a_tool_is_found_by_the_kind_of_its_connection() -> None:
    tool = REGISTRY.tool("mailbox:home", "say")
    assert (tool.name, tool.parameters, tool.mutating) == (SAY.name, SAY.parameters, True)


def test_a_tool_with_secrets_does_not_leak_them() -> None:
    """In its results and in those of its checker."""

    def tell(one: Call) -> dict[str, str]:
        return {"password": one.settings["password"]}

    tools = (
        Tool(
            name="tell",
            help="",
            parameters={},
            run=tell,
            mutating=True,
            check=lambda one: Checked(happened=True, result=tell(one)),
        ),
    )
    tool = Registry([mailbox(tools=tools)]).tool("mailbox:home", "tell")
    tool_call = call({"host": "h", "password": "1234"})
    assert tool.run(tool_call) == {"password": "•••"}
    assert tool.check is not None and tool.check(tool_call) == Checked(happened=True, result={"password": "•••"})


def test_answers_of_a_tool_without_secrets_are_unchanged() -> None:
    tell = replace(LOOK, name="tell", run=lambda call: {"host": call.settings["host"], "token": "1234"})
    plain = Registry([mailbox(fields=(Field(name="host", label="Server"),), tools=(tell,))])
    assert plain.tool("mailbox:home", "tell").run(call({"host": "1234"})) == {"host": "1234", "token": "1234"}


def test_an_unknown_tool_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownToolError, match=r'mailbox:home has no tool "sing"\. It has: look, say\.'):
        REGISTRY.tool("mailbox:home", "sing")


@pytest.mark.parametrize("name", ["mailbox:home", "mailbox:Home_2-b", "s3:x"])
def test_valid_connection_names(name: str) -> None:
    assert parse_name(name) == tuple(name.split(":"))


@pytest.mark.parametrize(
    "name", ["", "home", ":home", "mailbox:", "mailbox:a b", "mailbox:a:b", "mailbox:a\n", "Mailbox:a", "mailbox:é"]
)
def test_invalid_connection_names_are_refused_with_an_example(name: str) -> None:
    with pytest.raises(BadConnectionNameError, match="table:expenses"):
        parse_name(name)


FITTING: dict[str, list[Any]] = {
    "text": ["", "x"],
    "number": [0, 1.5],
    "whole": [0, -3],
    "flag": [True, False],
    "list": [[], [1]],
    "object": [{}, {"a": 1}],
}


@pytest.mark.parametrize("kind", [kind.value for kind in ParameterKind])
@pytest.mark.parametrize("other", FITTING)
def test_each_parameter_kind_accepts_only_its_own_values(kind: str, other: str) -> None:
    fits = kind in (other, "any") or (kind, other) == ("number", "whole")
    for value in FITTING[other]:
        if fits or (kind == "whole" and other == "number" and isinstance(value, int)):
            REGISTRY.check_parameters(LOOK, {kind: value})
        else:
            with pytest.raises(BadParametersError, match=f'^"{kind}" of look takes .+, not .+'):
                REGISTRY.check_parameters(LOOK, {kind: value})


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_are_finite(value: float) -> None:
    with pytest.raises(BadParametersError, match="not finite"):
        REGISTRY.check_parameters(LOOK, {"number": value})


def test_a_missing_parameter_is_named_with_what_it_takes() -> None:
    for given in ({}, {"text": None}):
        with pytest.raises(BadParametersError, match='say needs "text": a text'):
            REGISTRY.check_parameters(SAY, given)


def test_none_means_not_given() -> None:
    REGISTRY.check_parameters(LOOK, dict.fromkeys(ALL_KINDS))


def test_an_unknown_parameter_is_refused_with_a_suggestion() -> None:
    with pytest.raises(BadParametersError, match=r'say has no parameter "txt"\. Did you mean "text"\?'):
        REGISTRY.check_parameters(SAY, {"txt": "x"})
    with pytest.raises(BadParametersError, match="It takes: text"):
        REGISTRY.check_parameters(SAY, {"zzz": "x"})


def test_settings_get_their_defaults() -> None:
    assert REGISTRY.check_settings("mailbox", NEEDED) == {
        "host": "h",
        "password": "hunter2",
        "port": 993,
        "safe": True,
        "mode": "poll",
        "folder": None,
    }


@pytest.mark.parametrize(
    ("field", "given", "kept"),
    [
        ("port", 12, 12),
        ("port", "12", 12),
        ("port", "1.5", 1.5),
        ("safe", "no", False),
        ("safe", " TRUE ", True),
        ("safe", False, False),
        ("mode", "push", "push"),
        ("folder", "~/Mail", "~/Mail"),
        ("folder", "/var/mail", "/var/mail"),
        ("port", "", 993),
    ],
)
def test_settings_may_be_given_as_text(field: str, given: Any, kept: Any) -> None:
    settings = REGISTRY.check_settings("mailbox", {**NEEDED, field: given})
    assert settings[field] == kept
    assert type(settings[field]) is type(kept)


@pytest.mark.parametrize(
    ("field", "given", "says"),
    [
        ("host", None, r'Server \("host"\) is missing. As in mail.example.org.'),
        ("host", "", "is missing"),
        ("host", 5, "takes a text"),
        ("port", "many", r'Port \("port"\) takes a number'),
        ("port", "nan", "takes a number"),
        ("port", True, "takes a number"),
        ("safe", "perhaps", "takes yes or no"),
        ("safe", 1, "takes yes or no"),
        ("mode", "pull", "takes one of poll, push"),
        ("folder", "Mail", "takes a full path"),
        ("folder", "/a\0b", "takes a full path"),
        ("hsot", "h", r'no field "hsot"\. Did you mean "host"\?'),
    ],
)
def test_bad_settings_are_refused_by_field(field: str, given: Any, says: str) -> None:
    with pytest.raises(BadSettingsError, match=says):
        REGISTRY.check_settings("mailbox", {**NEEDED, field: given})


def test_an_error_never_quotes_a_secret() -> None:
    with pytest.raises(BadSettingsError) as refused:
        REGISTRY.check_settings("mailbox", {"host": "h", "password": ["hunter2"]})
    assert "hunter2" not in str(refused.value)


def test_a_call_is_never_printed_with_its_secrets() -> None:
    assert "hunter2" not in repr(call(NEEDED))


def test_a_failed_tool_carries_its_failure() -> None:
    error = ToolFailedError.because(FailureClass.AUTH, "Log in again.")
    assert (str(error), error.failure.kind) == ("Log in again.", FailureClass.AUTH)


def test_a_read_only_tool_has_no_approval_and_no_checker() -> None:
    with pytest.raises(ValueError, match="only reads"):
        Tool(name="t", help="", parameters={}, run=lambda _: None, acts_on_others=True)


def test_tool_and_field_names_are_unique() -> None:
    with pytest.raises(ValueError, match="tool twice"):
        mailbox(tools=(SAY, SAY))
    with pytest.raises(ValueError, match="field twice"):
        mailbox(fields=(Field(name="a", label="A"), Field(name="a", label="B")))


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """A folder for installed packages."""
    sys.path.insert(0, str(tmp_path))
    yield tmp_path
    sys.path.remove(str(tmp_path))


def install(place: Path, name: str, source: str) -> None:
    (place / f"{name}_module.py").write_text(source)
    folder = place / f"{name}-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[dayhand.connectors]\n{name} = {name}_module:connector\n")


GOOD = """
from scheduler.connections.connector import Connector
connector = Connector(kind="%s", title="Lamp", help="", fields=(), tools=(), test=lambda call: "On.")
"""


def test_plugins_are_found_and_broken_ones_are_reported(installed: Path) -> None:
    install(installed, "lamp", GOOD % "lamp")
    install(installed, "torn", "raise RuntimeError('no wire')")
    install(installed, "odd", "connector = 5")
    install(installed, "leaving", "raise SystemExit(0)")
    install(installed, "badly", GOOD % "Named: so")
    install(installed, "copy", GOOD % "notify")
    registry = builtin_registry(lambda *_: None)
    assert registry.connector("lamp").title == "Lamp"
    assert registry.connector("notify").title == "Notification"
    torn, copied = (next(one for one in registry.warnings if word in one) for word in ("torn", "second connector"))
    assert "RuntimeError: no wire" in torn and "package torn" in torn
    assert '"notify"' in copied
    assert any('"odd"' in warning and "not a connector" in warning for warning in registry.warnings)
    assert any('"leaving"' in warning and "SystemExit" in warning for warning in registry.warnings)
    assert any('"badly"' in warning and "is not a valid connection kind" in warning for warning in registry.warnings)
    assert len(registry.warnings) == 5


def test_plugins_in_the_users_folder_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A frozen app has no other place for packages."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    place = tmp_path / "dayhand" / "connectors"
    place.mkdir(parents=True)
    install(place, "torch", GOOD % "torch")
    assert builtin_registry(lambda *_: None).connector("torch").title == "Lamp"


def test_without_plugins_there_are_no_warnings() -> None:
    assert builtin_registry(lambda *_: None).warnings == ()


def test_every_builtin_tool_documents_itself_and_its_parameters() -> None:
    registry = builtin_registry(lambda *_: None)
    for connector in map(registry.connector, registry.kinds()):
        assert connector.title and connector.help
        for tool in connector.tools:
            assert tool.help.endswith(".")
            assert all(parameter.help.endswith(".") for parameter in tool.parameters.values())


def test_a_call_has_half_a_minute_by_default() -> None:
    assert Call(parameters={}, settings={}, key="", now=call({}).now, connection="a:b").seconds == 30


@pytest.mark.parametrize(
    ("wanted", "taken", "free"),
    [
        ("http:shop", [], "http:shop"),
        ("http:shop", ["http:shop"], "http:shop-2"),
        ("http:shop", ["http:shop", "http:shop-2"], "http:shop-3"),
        ("http:shop-2", ["http:shop-2"], "http:shop-3"),
        ("http:my-shop", ["http:my-shop"], "http:my-shop-2"),
        ("http:shop", ["table:shop"], "http:shop"),
    ],
)
def test_a_free_name_is_found(wanted: str, taken: list[str], free: str) -> None:
    assert find_free_name(wanted, taken) == free
