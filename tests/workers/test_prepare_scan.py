"""Mistakes in what prepare returns are found in the source, and only those that are certain."""

from textwrap import indent

import pytest

from scheduler.workers.prepare_scan import find_prepare_problems

HEAD = "import dayhand\nfrom dayhand import nothing, prepared as ready\n@flow.consumer(subscribe=[t])\nclass C:\n"


def problems(body: str, head: str = HEAD) -> list[tuple[int, str]]:
    """The problems of this prepare; its first line is line 6."""
    source = f"{head}    def prepare(self, ctx, state):\n{indent(body, ' ' * 8)}\n"
    return [(line, str(sentence)) for line, sentence in find_prepare_problems(source)]


@pytest.mark.parametrize(
    ("returned", "kind"),
    [
        ("{'x': 1}", "a dict"),
        ("True", "a bool"),
        ("not ctx.peek(t)", "a bool"),
        ("[]", "a list"),
        ("[event for event in ctx.peek(t)]", "a list"),
        ("(1, 2)", "a tuple"),
        ("'done'", "a str"),
        ("f'{state}'", "a str"),
        ("-1", "an int"),
        ("None", "None"),
        ("", "None"),
        ("dayhand.nothing() if state else 0", "an int"),
    ],
)
def test_a_return_of_another_type_is_found(returned: str, kind: str) -> None:
    assert problems(f"if state:\n    return {returned}\nreturn dayhand.nothing()") == [
        (7, f"prepare returns {kind}; return dayhand.prepared(…) or dayhand.nothing().")
    ]


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        ("dayhand.nothing", "prepare returns dayhand.nothing itself; call it: dayhand.nothing()."),
        ("ready", "prepare returns dayhand.prepared itself; call it: dayhand.prepared(…)."),
        ("dayhand.nothing(at=1)", "dayhand.nothing has no parameter at; it has wake_at."),
        ("ready(event=1)", "dayhand.prepared has no parameter event; it has reserve, data, say, ui, wake_at, ask."),
        (
            "dayhand.prepared(ctx.peek(t))",
            "dayhand.prepared takes its values by name; write dayhand.prepared(reserve=…, data=…).",
        ),
        ("dayhand.prepared(say=5)", "say is an int; write the sentence that asks for approval."),
        ("dayhand.prepared(ui=['x'])", "ui is a list; write ui={'Name': value}."),
        ("dayhand.prepared(reserve='a')", "reserve is a str; write reserve=ctx.peek(topic)."),
    ],
)
def test_a_wrong_call_is_found(returned: str, sentence: str) -> None:
    assert problems(f"return {returned}") == [(6, sentence)]


def test_a_prepare_without_a_return_is_found() -> None:
    assert problems("def inner():\n    return 1\nctx.peek(t)") == [
        (5, "prepare returns nothing; return dayhand.prepared(…) or dayhand.nothing().")
    ]


@pytest.mark.parametrize(
    "body",
    [
        "return dayhand.nothing(ctx.now)",
        "return ready(reserve=[], data=None, say=text, ui=None, wake_at=5)",
        "return dayhand.prepared(**state)",
        "return decide(ctx)",
        "return state or dayhand.nothing()",
        "raise NotImplementedError",
        "def inner():\n    return 1\nreturn inner() and nothing()",
        "ready = print\nreturn ready(event=1)",
    ],
)
def test_what_may_be_right_is_left_to_the_run(body: str) -> None:
    assert problems(body) == []


@pytest.mark.parametrize("head", ["class C:\n", "@flow.consumer()\nclass C:\n    @decorated\n"])
def test_other_classes_and_decorated_methods_are_not_checked(head: str) -> None:
    assert problems("return 1", head) == []
