"""Parsing and filling in templates; tests/templates runs them."""

import ast
import re
from pathlib import Path

import dayhand
import pytest
from dayhand import _workflow as written

from app.template_questions import InvalidAnswerError, QuestionKind, TemplateQuestion
from app.templates import ConnectionConflictError, Template, list_templates, parse_template
from scheduler.connections.registry import builtin_registry

ODD_TEXTS = ["a", 'with "quotes"', "it's", "back\\slash", "two\nlines", "Grüße", "{braces}", "\\g<0>", ""]


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_template_has_a_summary_and_becomes_a_workflow(template: Template) -> None:
    source = template.render({})
    assert "dayhand-template" not in source
    assert template.summary and not template.summary.endswith(".")
    module = type(ast)("filled")
    try:
        exec(compile(source, "filled.py", "exec"), module.__dict__)
        assert dayhand.describe(module)["name"] == template.name
    finally:
        written.defined.clear()


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_connection_of_a_template_exists_with_its_fields(template: Template) -> None:
    registry = builtin_registry(lambda *_: None)
    names = {question.name for question in template.questions}
    for connection, fields in template.connects.items():
        assert f'"{connection}"' in template.source
        known = {field.name for field in registry.connector_of(connection).fields if not field.secret}
        assert set(fields) <= known
        assert {named.removesuffix(".site") for named in fields.values()} <= names


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_answer_is_used(template: Template) -> None:
    """Changing an unused constant in the script would have no effect."""
    connected = {named for fields in template.connects.values() for named in fields.values()}
    for question in template.questions:
        uses = re.findall(rf"\b{question.name}\b", template.render({}).partition("import dayhand")[2])
        assert len(uses) > 1 or (not uses and question.name in connected), question.name


def test_a_connection_can_use_only_the_site_of_an_address() -> None:
    [watch] = [one for one in list_templates() if one.slug == "watch-page"]
    answers = {"PAGE": "https://shop.example.org:8443/lamps/7?lang=en#price"}
    assert watch.connection_settings(answers) == {"http:page": {"base_url": "https://shop.example.org:8443"}}


def test_existing_connections_are_kept_and_missing_ones_created() -> None:
    """Connecting again would lose settings that the template does not ask for."""
    [template] = [one for one in list_templates() if one.slug == "sort-folder"]
    existing = {"path": "/in", "more": "mine"}
    verbs = []

    def command(verb: str, **arguments: object) -> dict[str, object]:
        verbs.append(verb)
        return {"settings": existing}

    assert template.create_connections({"FOLDER": "/in"}, command) == []
    with pytest.raises(ConnectionConflictError, match="files:inbox has path /in"):
        template.create_connections({"FOLDER": "/elsewhere"}, command)
    assert verbs == ["fields", "fields"]
    existing.clear()
    template.create_connections({"FOLDER": "/in"}, command)
    assert verbs[2:] == ["fields", "connect"]


def make_template(kind: str = "text") -> Template:
    block = f'# /// dayhand-template\n# summary = "x"\n# [ask.VALUE]\n# question = "?"\n# kind = "{kind}"\n# ///\n'
    return parse_template("a_b", f'"""A."""\n\n{block}import dayhand\n\nVALUE = "v"\nflow = dayhand.Workflow("A b")\n')


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_any_answer_is_written_to_the_script_unchanged(text: str) -> None:
    for value in (text, [text, "x"]):
        tree = ast.parse(make_template().render({"VALUE": value}))
        [literal] = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.lineno < 6]
        assert ast.literal_eval(literal) == value


@pytest.mark.parametrize("name", ["Other", 'My "best" one', "It's"])
def test_the_workflow_gets_the_given_name(name: str) -> None:
    tree = ast.parse(make_template().render({}, name=name))
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
def test_answers_are_parsed_by_kind(kind: str, text: str, value: object) -> None:
    assert make_template(kind).questions[0].parse(text) == value


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
def test_an_invalid_answer_is_rejected_with_a_sentence(kind: str, text: str) -> None:
    with pytest.raises(InvalidAnswerError, match=r".[.']$"):
        make_template(kind).questions[0].parse(text)


def test_a_default_is_shown_as_typed() -> None:
    def default_text(kind: QuestionKind, default: object) -> str:
        return TemplateQuestion(name="X", text="?", kind=kind, default=default, required=False).default_text()

    assert default_text(QuestionKind.COMMAND, ["echo", "a b"]) == "echo 'a b'"
    assert default_text(QuestionKind.LIST, ["a", "b"]) == "a, b"
    assert default_text(QuestionKind.NUMBER, 7) == "7"
    assert TemplateQuestion(name="X", text="?", kind=QuestionKind.TEXT, default="d", required=True).default_text() == ""


def test_a_script_without_a_template_block_is_rejected() -> None:
    with pytest.raises(ValueError, match="not a template"):
        parse_template("x", "import dayhand\n")
