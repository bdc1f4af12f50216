"""`dayhand tools`, and the help of `connect` for one kind of connection."""

import ast
import json
from pathlib import Path

import pytest

from app.cli import command_line
from app.cli.tools import format_call
from scheduler.connections.registry import builtin_registry
from scheduler.connections.tool_data import describe_connector


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = command_line.run(words)
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_all_tools_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "tools")
    assert code == 0
    lines = [line.split() for line in out.splitlines()]
    assert ["imap", "search"] in [line[:2] for line in lines]
    assert next(line for line in lines if line[:2] == ["smtp", "send"])[2:5] == ["acts,", "asks", "first"]


def test_a_kind_is_listed_with_its_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "tools", "imap")
    assert "  uid (whole, required)\n      Number of the message, from search.\n" in out


def test_one_tool_is_shown_with_an_example_and_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "tools", "table", "append")
    assert 'Example: ctx.call("table:NAME", "append", rows=[{"day": "Monday", "total": 12.5}])\n' in out
    assert json.loads(out.partition("Returns: ")[2]) == {"added": 1}


def test_json_has_what_the_text_has(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "tools", "caldav", "create", "--json")
    (connector,) = json.loads(out)["connectors"]
    assert [tool["name"] for tool in connector["tools"]] == ["create"]
    assert connector["tools"][0]["acts"] is True


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("tools", "mail"), 'There is no connection kind "mail". Known kinds: caldav,'),
        (("tools", "table", "add"), "table has no tool 'add'. It has: append, read."),
        (("connect", "mail:x", "--help"), 'There is no connection kind "mail".'),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], sentence: str
) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (1, "")
    assert sentence in err


def test_a_plugin_without_an_example_is_listed() -> None:
    """An example is optional."""
    described = describe_connector(builtin_registry(lambda _title, _text: None).connector("secret"))
    assert described["tools"][0]["example"] is None


def test_every_example_is_python() -> None:
    registry = builtin_registry(lambda _title, _text: None)
    for kind in registry.kinds():
        for tool in describe_connector(registry.connector(kind))["tools"]:
            if tool["example"] is not None:
                call = ast.parse(format_call(kind, tool), mode="eval").body
                assert isinstance(call, ast.Call)
                given = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
                assert given == tool["example"]["parameters"]


def test_the_help_of_connect_lists_the_fields_of_the_kind(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    code, out, _ = run(capsys, "connect", "imap:home", "--help", "--data-dir", str(data_dir))
    assert code == 0
    assert "  --host (required)\n      Server. For example imap.example.org.\n" in out
    assert "  password (a secret: you are asked for it)\n" in out
    assert "One of: tls, starttls, none." in out
    assert not data_dir.exists()  # reading the help creates nothing


def test_a_field_that_depends_on_another_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "connect", "http:api", "-h")
    assert "Only with --auth basic." in out
    assert "--auth (default: none)" in out


def test_the_general_help_of_connect_is_still_there(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command_line.run(("connect", "--help"))
    assert "dayhand connect imap:home --help" in capsys.readouterr().out
