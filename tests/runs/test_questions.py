"""A script asks the user something before it acts; the answers are part of what it then asks to do."""

from typing import Any

import pytest

from scheduler.engine.errors import RefusedError
from scheduler.engine.workflows.validation import InvalidScriptError
from scheduler.rules.failures import FailureClass
from scheduler.store import requests
from scheduler.store.requests import RequestRow
from tests.engine.engine_fixture import DAY, MINUTE
from tests.runs.runtime_fixture import RuntimeFixture, fail
from tests.runs.scripts import consumer, prepare

FOLDER = 'dayhand.ask("Which folder?", choices=["Invoices", "Other"])'


def asking(question: str = FOLDER, *, approve: str = "never", answer: str = "prepared.answer") -> str:
    """Asks, acts with the answer as its text, and keeps in its state what `next` was told."""
    script = consumer(approve=approve).replace('say="Do "', f'ask={question}, say="Do "')
    script = script.replace("n=prepared.data", f"n=prepared.data, text=str({answer})")
    return script.replace("[ctx.outcome, result]", "[ctx.outcome, ctx.reason, prepared.answers]")


def ask(runtime: RuntimeFixture, script: str) -> RequestRow:
    runtime.deploy(script)
    runtime.publish("a")
    runtime.tick()
    [request] = runtime.requests()
    return request


def texts(runtime: RuntimeFixture) -> list[Any]:
    return [call.parameters["text"] for call in runtime.service.calls]


def test_the_question_comes_before_anything_else(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking())
    assert (request.kind, request.sentence, request.call) == ("question", "Do 1", None)
    assert request.questions == [
        {"name": "answer", "text": "Which folder?", "kind": "choice", "choices": ["Invoices", "Other"], "default": None}
    ]
    run = runtime.runs("C")[-1]
    assert (run.status, run.phase) == ("paused:approval", "prepared")
    assert runtime.events() == {"a": "reserved"}
    assert runtime.service.calls == []


def test_mutate_gets_the_answer(runtime: RuntimeFixture) -> None:
    """With approve="never" the answer alone lets it go on."""
    request = ask(runtime, asking())
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.tick()
    assert texts(runtime) == ["Other"]
    assert runtime.state("C")["told"] == ["applied", None, {"answer": "Other"}]
    assert runtime.events() == {"a": "consumed"}


def test_the_call_made_from_the_answer_is_shown_for_approval(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking(approve="always"))
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.tick()
    assert runtime.service.calls == []
    [approval] = runtime.requests()
    assert (approval.kind, approval.call["parameters"]["text"]) == ("approval", "Other")
    runtime.request_commands.approve(approval.id)
    runtime.tick()
    assert texts(runtime) == ["Other"]


def test_several_questions_have_names(runtime: RuntimeFixture) -> None:
    several = '{"folder": dayhand.ask("Where?", default="Inbox"), "copies": dayhand.ask("How many?", default=1)}'
    script = asking(several, answer="[prepared.answers['folder'], prepared.answers['copies']]")
    request = ask(runtime, script)
    runtime.request_commands.answer(request.id, {"copies": "3"})
    runtime.tick()
    assert texts(runtime) == ["['Inbox', 3]"]


def test_an_answer_without_a_name_to_several_questions_is_refused_with_their_names(runtime: RuntimeFixture) -> None:
    several = "{'folder': dayhand.ask('Which?'), 'copies': dayhand.ask('How many?', default=2)}"
    request = ask(runtime, asking(several, answer="prepared.answers"))
    with pytest.raises(RefusedError) as refused:
        runtime.request_commands.answer(request.id, {"answer": "now"})
    options = "--set folder=ANSWER --set copies=ANSWER"
    sentence = f"That asks 2 questions. Answer each by its name: dayhand answer {request.id} {options}"
    assert (refused.value.code, refused.value.sentence) == ("answer", sentence)
    assert [one.id for one in runtime.requests()] == [request.id]


def test_prepared_answer_of_several_questions_is_an_error_of_the_script(runtime: RuntimeFixture) -> None:
    several = '{"a": dayhand.ask("A?", default="1"), "b": dayhand.ask("B?", default="2")}'
    request = ask(runtime, asking(several))
    runtime.request_commands.answer(request.id, {})
    runtime.tick()
    [failed] = runtime.requests()
    assert failed.kind == "script error"
    assert "there are several answers; write prepared.answers['…'] with a, b" in failed.sentence


def test_a_rejected_question_skips_the_action(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking())
    runtime.request_commands.reject(request.id, reason="Not mine")
    runtime.tick()
    assert runtime.service.calls == []
    assert runtime.state("C")["told"] == ["skipped", "Not mine", {}]
    assert runtime.events() == {"a": "skipped"}
    assert runtime.requests() == []


def test_a_bad_answer_is_refused_and_the_question_stays(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking())
    with pytest.raises(RefusedError, match=r"Which folder\?: the answer must be one of: Invoices, Other\."):
        runtime.request_commands.answer(request.id, {"answer": "Elsewhere"})
    assert [one.id for one in runtime.requests()] == [request.id]


def test_a_question_cannot_be_approved_and_an_approval_cannot_be_answered(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking(approve="always"))
    with pytest.raises(RefusedError, match=f"Answer it: dayhand answer {request.id}"):
        runtime.request_commands.approve(request.id)
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.tick()
    [approval] = runtime.requests()
    with pytest.raises(RefusedError, match="asks no question"):
        runtime.request_commands.answer(approval.id, {"answer": "Other"})


def test_the_first_answer_counts(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking())
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    with pytest.raises(RefusedError, match=r"You answered this at 10:00: Other\. Nothing was changed\."):
        runtime.request_commands.answer(request.id, {"answer": "Invoices"})
    with pytest.raises(RefusedError, match=r"You answered this at 10:00: Other\. Nothing was changed\."):
        runtime.request_commands.reject(request.id)
    runtime.tick()
    assert texts(runtime) == ["Other"]


def test_a_question_survives_restarts(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking())
    runtime.crash(off=30 * DAY)
    runtime.tick()
    assert [one.id for one in runtime.requests()] == [request.id]
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.crash(off=DAY)
    runtime.tick()
    assert texts(runtime) == ["Other"]


def test_an_answer_holds_for_the_chain(runtime: RuntimeFixture) -> None:
    """The service was busy: prepare runs again, decides the same, and is not asked again."""
    request = ask(runtime, asking())
    runtime.service.fails = [fail(FailureClass.TRANSIENT)]
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.tick()
    runtime.pass_time(2 * MINUTE)
    assert texts(runtime) == ["Other", "Other"]
    assert runtime.requests() == []


def test_an_answer_about_other_events_does_not_count(runtime: RuntimeFixture) -> None:
    """The same question about something else is another question."""
    request = ask(runtime, asking())
    runtime.service.fails = [fail(FailureClass.TRANSIENT)]
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.tick()
    runtime.publish("b")
    runtime.pass_time(2 * MINUTE)
    assert len(runtime.service.calls) == 1
    [again] = runtime.requests()
    assert (again.kind, again.sentence) == ("question", "Do 2")


def test_next_gets_the_answers_after_a_crash(runtime: RuntimeFixture) -> None:
    script = asking().replace(
        "def next(self, ctx, prepared, result, state):",
        "def next(self, ctx, prepared, result, state):\n        if ctx.attempt == 1: raise ValueError('once')",
    )
    request = ask(runtime, script)
    runtime.request_commands.answer(request.id, {"answer": "Other"})
    runtime.tick()
    runtime.request_commands.retry("w")
    runtime.tick()
    assert runtime.state("C")["told"] == ["applied", None, {"answer": "Other"}]
    assert texts(runtime) == ["Other"]


def test_a_consumer_without_mutate_may_ask(runtime: RuntimeFixture) -> None:
    body = f"batch = ctx.peek(t)\nreturn dayhand.prepared(reserve=batch, ask={FOLDER}) if batch else dayhand.nothing()"
    rest = 'def next(self, ctx, prepared, result, state):\n    return {"told": [ctx.outcome, prepared.answer]}'
    request = ask(runtime, prepare(body, rest))
    runtime.request_commands.answer(request.id, {"answer": "Invoices"})
    runtime.tick()
    assert runtime.state("C")["told"] == ["none", "Invoices"]
    assert runtime.events() == {"a": "consumed"}


def test_a_new_script_withdraws_the_question(runtime: RuntimeFixture) -> None:
    request = ask(runtime, asking())
    runtime.deploy(asking('dayhand.ask("Where to?")'))
    runtime.tick()
    found = requests.find(runtime.database.read(), request.id)
    assert found is not None and found.answer == "withdrawn"
    [again] = runtime.requests()
    assert again.questions[0]["text"] == "Where to?"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ('dayhand.ask("")', "the question is ''; write a text."),
        ('dayhand.ask("x" * 201)', "the question has 201 characters; write at most 200."),
        ('dayhand.ask("A?", choices="ab")', "choices is not a list of at least two texts"),
        ('dayhand.ask("A?", choices=["a", "a"])', "choices contains a text twice"),
        ('dayhand.ask("A?", choices=["a"] * 51)', "choices has 51 texts; give at most 50."),
        ('dayhand.ask("A?", choices=["a", "b"], default="c")', "default='c' does not answer this question."),
        ('dayhand.ask("A?", kind="riddle")', "kind='riddle' does not fit"),
        ('dayhand.ask("A?", default="x" * 10001)', "does not answer this question."),
        ('{"not a name": dayhand.ask("A?")}', "'not a name' is not a name for a question"),
        ('{f"a{n}": dayhand.ask("A?") for n in range(6)}', "ask has 6 questions; ask at most 5."),
        ("list(state)", "ask is not a question; write ask=dayhand.ask('Which folder?')"),
    ],
)
def test_a_bad_question_is_an_error_of_the_script(runtime: RuntimeFixture, question: str, sentence: str) -> None:
    request = ask(runtime, asking(question))
    assert request.kind == "script error"
    assert sentence in request.sentence


def test_a_question_that_is_only_a_text_is_found_before_deploying(runtime: RuntimeFixture) -> None:
    with pytest.raises(InvalidScriptError, match=r"ask is a str; write ask=dayhand\.ask\('Which folder\?'\)"):
        runtime.deploy(asking("'Which folder?'"))


@pytest.mark.parametrize(
    ("question", "kind", "default"),
    [
        ('dayhand.ask("Amount", default="12,50")', "text", "12,50"),
        ('dayhand.ask("Sure?", default=True)', "yes_no", True),
        ('dayhand.ask("How many?", default=2)', "number", 2),
        ('dayhand.ask("When?", default=__import__("datetime").date(2026, 11, 20))', "date", "2026-11-20"),
        ('dayhand.ask("When?", kind="date")', "date", None),
        ('dayhand.ask("Which?", choices=("a", "b"), default="b")', "choice", "b"),
    ],
)
def test_the_default_decides_what_is_asked_for(runtime: RuntimeFixture, question: str, kind: str, default: Any) -> None:
    [asked] = ask(runtime, asking(question)).questions
    assert (asked["kind"], asked["default"]) == (kind, default)
