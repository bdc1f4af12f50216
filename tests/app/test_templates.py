"""Templates as they are read and filled in; what they do is proved in tests/templates."""

import ast
import re
from pathlib import Path

import dayhand
import pytest
from dayhand import _workflow as written

from app.questions import BadAnswerError, Kind, Question
from app.templates import ConnectedOtherwiseError, Template, all_templates, read_template
from scheduler.connections.registry import builtin_registry

ODD = ["a", 'with "quotes"', "it's", "back\\slash", "two\nlines", "Grüße", "{braces}", "\\g<0>", ""]


@pytest.mark.parametrize("template", all_templates(), ids=lambda one: one.slug)
def test_each_says_what_it_does_and_is_a_workflow_without_its_block(template: Template) -> None:
    source = template.fill({})
    assert "dayhand-template" not in source
    assert template.summary and not template.summary.endswith(".")
    module = type(ast)("filled")
    try:
        exec(compile(source, "filled.py", "exec"), module.__dict__)
        assert dayhand.describe(module)["name"] == template.name
    finally:
        written.defined.clear()


@pytest.mark.parametrize("template", all_templates(), ids=lambda one: one.slug)
def test_what_each_connects_exists_with_its_fields(template: Template) -> None:
    registry = builtin_registry(lambda *_: None)
    names = {question.name for question in template.questions}
    for connection, fields in template.connects.items():
        assert f'"{connection}"' in template.source
        known = {field.name for field in registry.connector(connection.partition(":")[0]).fields if not field.secret}
        assert set(fields) <= known
        assert {named.removesuffix(".site") for named in fields.values()} <= names


@pytest.mark.parametrize("template", all_templates(), ids=lambda one: one.slug)
def test_each_answer_goes_somewhere_and_no_constant_only_looks_as_if(template: Template) -> None:
    """One that a person would change in the script, and nothing would happen."""
    connected = {named for fields in template.connects.values() for named in fields.values()}
    for question in template.questions:
        uses = re.findall(rf"\b{question.name}\b", template.fill({}).partition("import dayhand")[2])
        assert len(uses) > 1 or (not uses and question.name in connected), question.name


def test_a_connection_may_want_only_the_site_of_an_address() -> None:
    [watch] = [one for one in all_templates() if one.slug == "watch-page"]
    answers = {"PAGE": "https://shop.example.org:8443/lamps/7?lang=en#price"}
    assert watch.settings(answers) == {"http:page": {"base_url": "https://shop.example.org:8443"}}


def test_what_is_connected_already_is_not_touched_and_the_rest_is() -> None:
    """The same answer may come with settings that nobody asked for; connecting again would lose them."""
    [template] = [one for one in all_templates() if one.slug == "sort-folder"]
    kept = {"path": "/in", "more": "mine"}
    done = []

    def command(verb: str, **arguments: object) -> dict[str, object]:
        done.append(verb)
        return {"settings": kept}

    assert template.connect({"FOLDER": "/in"}, command) == []
    with pytest.raises(ConnectedOtherwiseError, match="files:inbox has path /in"):
        template.connect({"FOLDER": "/elsewhere"}, command)
    assert done == ["fields", "fields"]
    kept.clear()
    template.connect({"FOLDER": "/in"}, command)
    assert done[2:] == ["fields", "connect"]


def one(kind: str = "text") -> Template:
    block = f'# /// dayhand-template\n# summary = "x"\n# [ask.VALUE]\n# question = "?"\n# kind = "{kind}"\n# ///\n'
    return read_template("a_b", f'"""A."""\n\n{block}import dayhand\n\nVALUE = "v"\nflow = dayhand.Workflow("A b")\n')


@pytest.mark.parametrize("text", ODD)
def test_any_answer_arrives_in_the_script_as_it_was_given(text: str) -> None:
    for value in (text, [text, "x"]):
        tree = ast.parse(one().fill({"VALUE": value}))
        [found] = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.lineno < 6]
        assert ast.literal_eval(found) == value


@pytest.mark.parametrize("name", ["Other", 'My "best" one', "It's"])
def test_the_workflow_gets_the_name_that_was_given(name: str) -> None:
    tree = ast.parse(one().fill({}, name=name))
    [call] = [node.value for node in tree.body if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)]
    assert isinstance(call, ast.Call)
    assert ast.literal_eval(call.args[0]) == name


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("text", " a b ", "a b"),
        ("number", "7", 7),
        ("number", "7,5", 7.5),
        ("time", "7:05", "07:05"),
        ("zone", "Europe/Berlin", "Europe/Berlin"),
        ("list", "a, b,,c ", ["a", "b", "c"]),
        ("list", " ", []),
        ("command", "sh -c 'a | b && c'", ["sh", "-c", "a | b && c"]),
        ("command", "grep -c '#' f", ["grep", "-c", "#", "f"]),
        ("address", "https://x.org/a?b=1", "https://x.org/a?b=1"),
        ("address", "x.org:8080/a", "https://x.org:8080/a"),
        ("mail", "me@x.org", "me@x.org"),
        ("pattern", "<b>([^<]*)", "<b>([^<]*)"),
        ("command", "echo 'a b' c", ["echo", "a b", "c"]),
        ("folder", "~/x", str(Path.home() / "x")),
        ("file", "x.csv", str(Path.cwd() / "x.csv")),
    ],
)
def test_answers_are_read_by_their_kind(kind: str, text: str, value: object) -> None:
    assert one(kind).questions[0].read(text) == value


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("text", "  "),
        ("number", "many"),
        ("number", "nan"),
        ("number", "inf"),
        ("number", "-5"),
        ("time", "25:00"),
        ("time", "9"),
        ("zone", "Mars/Base"),
        ("command", "echo 'a"),
        ("command", "a && b"),
        ("command", "a > b"),
        ("command", "a|b"),
        ("address", "ftp://x.org/a"),
        ("address", "https:///a"),
        ("address", "https://[x/"),
        ("address", "my page"),
        ("mail", "me"),
        ("mail", "a@x.org, b@x.org"),
        ("pattern", "price ["),
        ("folder", "~nobody-has-this-name/x"),
    ],
)
def test_an_answer_that_cannot_be_used_is_refused_with_a_sentence(kind: str, text: str) -> None:
    with pytest.raises(BadAnswerError, match=r".[.']$"):
        one(kind).questions[0].read(text)


def test_a_default_is_shown_as_it_would_be_typed() -> None:
    def shown(kind: Kind, default: object) -> str:
        return Question(name="X", text="?", kind=kind, default=default, required=False).shown_default()

    assert shown(Kind.COMMAND, ["echo", "a b"]) == "echo 'a b'"
    assert shown(Kind.LIST, ["a", "b"]) == "a, b"
    assert shown(Kind.NUMBER, 7) == "7"
    assert Question(name="X", text="?", kind=Kind.TEXT, default="d", required=True).shown_default() == ""


def test_what_is_no_template_is_refused() -> None:
    with pytest.raises(ValueError, match="not a template"):
        read_template("x", "import dayhand\n")
