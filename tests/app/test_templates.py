"""Parsing and filling in templates; tests/templates runs them."""

import ast
import re
from pathlib import Path

import dayhand
import pytest
from dayhand import _workflow as written

from app.template_questions import InvalidAnswerError, QuestionKind, TemplateQuestion
from app.template_script import find_template_slug, read_constants, replace_constants
from app.templates import Template, choose_connection_name, find_template, list_templates, parse_template
from scheduler.connections.registry import builtin_registry

ODD_TEXTS = ["a", 'with "quotes"', "it's", "back\\slash", "two\nlines", "Grüße", "{braces}", "\\g<0>", ""]


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_template_has_a_summary_and_becomes_a_workflow(template: Template) -> None:
    source = template.render({})
    assert "# /// dayhand-template" not in source
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
    names_of = read_constants(template.source)
    for constant, fields in template.connects.items():
        connection = names_of[constant]
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


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_account_names_a_connector_and_what_to_say_without_one(template: Template) -> None:
    registry = builtin_registry(lambda *_: None)
    for question in template.questions:
        if question.kind is QuestionKind.ACCOUNT:
            assert registry.connector(question.connector).fields and question.missing
            assert question.default.startswith(f"{question.connector}:")


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_template_says_what_it_does_and_what_it_asks(template: Template) -> None:
    """The fields of the sentences are answers, and one that acts after an approval says so."""
    assert template.does.endswith((".", "}")), template.does
    said = " ".join((template.does, *template.also.values(), template.asks))
    assert set(re.findall(r"{(\w+)}", said)) <= {one.name for one in template.questions}
    asks = any(f'approve="{when}"' in template.source for when in ("always", "first"))
    assert bool(template.asks) == asks


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_the_summary_before_the_start_names_each_answer(template: Template) -> None:
    """Times, days and zones are in the times of its runs; a flag has a sentence of its own."""
    said = " ".join((template.does, *template.also.values()))
    for question in template.questions:
        if question.kind not in (QuestionKind.TIME, QuestionKind.WEEKDAYS, QuestionKind.ZONE):
            assert f"{{{question.name}}}" in said or question.name in template.also, question.name


def test_a_connection_can_use_only_the_site_of_an_address() -> None:
    watch = find_template("watch-page")
    assert watch is not None
    answers = {"PAGE": "https://shop.example.org:8443/lamps/7?lang=en#price"}
    [planned] = watch.plan_connections(answers, {})
    assert (planned.name, planned.settings) == ("http:page", {"base_url": "https://shop.example.org:8443"})


def test_a_connection_with_other_settings_is_left_alone_and_one_with_the_same_is_shared() -> None:
    """Connecting again would lose settings that the template does not ask for."""
    known = {"files:inbox": {"path": "/in", "more": "mine"}, "files:inbox-2": {}}
    assert choose_connection_name("files:inbox", {"path": "/in"}, known) == ("files:inbox", False)
    assert choose_connection_name("files:inbox", {"path": "/other"}, known) == ("files:inbox-3", True)
    assert choose_connection_name("caldav:calendar", {}, {"caldav:calendar": {}}) == ("caldav:calendar-2", True)


def make_template(kind: str = "text") -> Template:
    block = f'# /// dayhand-template\n# summary = "x"\n# [ask.VALUE]\n# question = "?"\n# kind = "{kind}"\n# ///\n'
    return parse_template("a_b", f'"""A."""\n\n{block}import dayhand\n\nVALUE = "v"\nflow = dayhand.Workflow("A b")\n')


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_any_answer_is_written_to_the_script_unchanged(text: str) -> None:
    for value in (text, [text, "x"], {text: [text], "y": 1}):
        tree = ast.parse(make_template().render({"VALUE": value}))
        [literal] = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.lineno < 7]
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
        ("amount", "7,5", 7.5),
        ("amount", "7", 7),
        ("flag", "Yes", True),
        ("flag", "no", False),
        ("weekdays", "Sunday, mon", ["mon", "sun"]),
        ("time", "7:05", "07:05"),
        ("zone", "Europe/Berlin", "Europe/Berlin"),
        ("list", "a, b,,c ", ["a", "b", "c"]),
        ("list", " ", []),
        ("command", "sh -c 'a | b && c'", ["sh", "-c", "a | b && c"]),
        ("command", "grep -c '#' f", ["grep", "-c", "#", "f"]),
        ("address", "https://x.org/a?b=1", "https://x.org/a?b=1"),
        ("address", "x.org:8080/a", "https://x.org:8080/a"),
        ("mail", "me@x.org", "me@x.org"),
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
        ("number", "7,5"),
        ("flag", "perhaps"),
        ("weekdays", "someday"),
        ("weekdays", ","),
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


EDITED = """# -*- coding: utf-8 -*-
# dayhand-template: sort-folder
import dayhand  # é, in front of nothing
VALUE = "v"  # my comment
LATER: int = 3
OTHER = [
    "a",  # one
    "b",
]; MORE = {"é": 1}
if True:
    VALUE_TOO = VALUE
TWICE = 1
TWICE = 2
COMPUTED = VALUE + "x"
"""


def test_only_the_literals_of_constants_are_replaced() -> None:
    """Comments and everything else in the file stay, whatever was typed around them."""
    changed = replace_constants(EDITED, {"VALUE": "ü", "OTHER": ["c"], "MORE": {"f": 2}, "LATER": 4})
    expected = EDITED.replace('"v"', '"ü"').replace('[\n    "a",  # one\n    "b",\n]', '["c"]')
    assert changed == expected.replace('{"é": 1}', '{"f": 2}').replace("= 3", "= 4")
    assert read_constants(changed)["OTHER"] == ["c"]


@pytest.mark.parametrize("name", ["TWICE", "COMPUTED", "VALUE_TOO", "MISSING"])
def test_a_constant_that_is_no_longer_a_single_literal_is_not_read(name: str) -> None:
    assert name not in read_constants(EDITED)


def test_a_script_is_recognized_as_one_of_its_template() -> None:
    template = find_template("sort-folder")
    assert template is not None
    assert find_template_slug(template.render({})) == find_template_slug(EDITED) == "sort-folder"
    assert find_template_slug("x = '# dayhand-template: sort-folder'\n") is None
    empty = find_template("empty-script")
    assert empty is not None and find_template_slug(empty.render({})) is None, "it has no answers to change"


def test_the_answers_of_a_script_are_read_from_its_constants_and_its_connections() -> None:
    template = find_template("mailed-receipts")
    assert template is not None
    answers = {"INBOX": "imap:work", "SUBJECT": "bill", "EXPENSES": "table:x"}
    read = template.read_answers(template.render(answers), {"table:x": {"path": "/t.csv"}})
    assert read == {"INBOX": "imap:work", "SUBJECT": "bill", "TABLE": "/t.csv"}


@pytest.mark.parametrize("template", list_templates(), ids=lambda one: one.slug)
def test_each_default_is_accepted_as_an_answer_and_other_values_are_not(template: Template) -> None:
    for question in template.questions:
        if question.default is not None:
            assert question.accepts(question.default), question.name
        assert not question.accepts(None) and not question.accepts(object()) and not question.accepts([1])
