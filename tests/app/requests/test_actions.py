"""Every kind of request offers actions that exist, and cards and notifications describe it in plain words."""

import inspect
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from app.notifications.notification import Urgency
from app.overview import Overview
from app.requests.actions import OPEN, RECONNECT, SENT, SHOW_LOG, find_action, list_actions
from app.requests.call_summary import summarize_call
from app.requests.presentation import make_card, make_problem
from app.tray.menu import make_entries
from app.widgets.details import DetailSection, DetailTable, Pairs, TextBlock, TextDiff
from app.widgets.request_card import ButtonImportance, CardContent
from scheduler.connections.registry import builtin_registry
from scheduler.engine.api.commands import CommandApi
from scheduler.engine.api.request_commands import RequestApi
from scheduler.engine.queries.requests import FailedRunView, FaultView, RequestView
from scheduler.engine.queries.workflows import WorkflowView
from scheduler.rules.requests import RequestKind
from scheduler.rules.workflow_state import WorkflowState
from scheduler.store.requests import RequestAnswer
from scheduler.user_text import UserText

NOW = datetime(2026, 11, 16, 12, 0, 30, tzinfo=UTC)
KINDS = [kind.slug for kind in RequestKind]
REGISTRY = builtin_registry(lambda *_: None)
CALL = {"connection": "files:inbox", "tool": "delete", "parameters": {"path": "old/one.txt"}}


def ask(kind: str, **changes: Any) -> RequestView:
    usual = RequestView(
        id="q1",
        kind=RequestKind(kind.replace("-", " ")),
        workflow="tidy",
        workflows=("tidy",),
        run="r1",
        subject="r1",
        sentence="Delete one.txt",
        call=None,
        ui=None,
        created=NOW,
        answer=None,
        answered=None,
        how=(),
    )
    return replace(usual, **changes)


def overview() -> Overview:
    tidy = WorkflowView(
        name="Tidy up",
        workflow="tidy",
        state=WorkflowState.NEEDS_ATTENTION,
        words="",
        next=None,
        attention=1,
        tags=(),
        version=1,
    )
    return Overview(now=NOW, zone=ZoneInfo("Europe/Berlin"), workflows=(tidy,))


def card(one: RequestView) -> CardContent:
    return make_card(one, overview(), REGISTRY)


@pytest.mark.parametrize("kind", KINDS)
def test_every_action_runs_an_existing_command_or_opens_a_page(kind: str) -> None:
    answers = list_actions(ask(kind))
    assert answers
    for answer in answers:
        assert find_action(ask(kind), answer.id) is answer or find_action(ask(kind), answer.id) == answer
        if answer.verb:
            verb = getattr(RequestApi, answer.verb, None) or getattr(CommandApi, answer.verb)
            inspect.signature(verb).bind(None, **answer.arguments)
            assert answer.done.endswith((".", "…"))
        else:
            assert answer.id in (OPEN, RECONNECT, SENT, SHOW_LOG)
    assert sum(answer.importance is ButtonImportance.PRIMARY for answer in answers) <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_notification_has_at_most_two_buttons_and_none_that_cannot_be_undone(kind: str) -> None:
    problem = make_problem(ask(kind), overview())
    assert 1 <= len(problem.actions) <= 2
    assert not {"always", "rollback"} & {id_ for id_, _ in problem.actions}
    assert (problem.key, problem.title) == ("q1", "Tidy up")
    assert problem.text == ("The workflow asks: Delete one.txt." if kind == "question" else "Delete one.txt")


def test_only_blocking_requests_stay_on_the_screen_and_only_questions_ignore_quiet_hours() -> None:
    problems = {kind: make_problem(ask(kind), overview()) for kind in KINDS}
    assert {kind for kind, one in problems.items() if one.is_question} == {"approval", "question", "permission"}
    assert {kind for kind, one in problems.items() if one.urgency is Urgency.CRITICAL} == {
        "approval",
        "question",
        "permission",
        "unsure",
    }


QUESTION = {"name": "answer", "text": "Which folder?", "kind": "choice", "choices": ["Invoices", "Other"]}
LETTER = {
    "connection": "smtp:home",
    "tool": "send",
    "parameters": {"to": "ann@example.org", "subject": "Hello", "text": "Dear Ann"},
}


def test_a_notification_of_a_question_has_its_words_and_opens_it() -> None:
    """The sentence of the script says what the question is about."""
    when = {"name": "when", "text": "Until when?", "kind": "date", "choices": []}
    said = "A letter of the tax office came"
    problem = make_problem(ask("question", sentence=said, questions=[QUESTION, when]), overview())
    assert problem.actions == (("look", "Review"),)
    assert problem.text == "The workflow asks: A letter of the tax office came. Which folder? Until when?"


def test_a_question_without_a_sentence_of_its_own_is_not_said_to_have_one() -> None:
    one = ask("question", sentence=UserText("{name} has a question.", name="Tidy up"), questions=[QUESTION])
    assert make_problem(one, overview()).text == "The workflow asks: Which folder?"
    assert card(one).script_sections == ()


def test_the_tray_shows_what_is_asked() -> None:
    one = ask("question", sentence="A letter came.", questions=[QUESTION])
    first = make_entries(replace(overview(), requests=(one,)))[0]
    assert first.text == "Tidy up: The workflow asks: A letter came. Which folder?"


def test_a_question_is_answered_in_the_card() -> None:
    [answer, reject] = card(ask("question", questions=[QUESTION], sentence="File it")).actions
    assert (answer.id, answer.confirm, answer.importance) == ("answer", "", ButtonImportance.PRIMARY)
    [field] = answer.form
    assert (field.label, field.choices) == ("Which folder?", (("Invoices", "Invoices"), ("Other", "Other")))
    assert (reject.label, reject.confirm) == ("Reject…", "Reject")


def test_only_editable_parameters_have_fields() -> None:
    one = ask("approval", call=LETTER, editable=("subject", "text", "html"))
    [edit] = [action for action in card(one).actions if action.id == "edit-call"]
    assert [(field.name, field.label, field.kind) for field in edit.form] == [
        ("subject", "Subject", "line"),
        ("text", "Text", "text"),
    ]
    found = find_action(one, "edit-call")
    assert found is not None
    assert found.with_values({"text": "Dear Bob"}).arguments == {"request": "q1", "edits": {"text": "Dear Bob"}}


@pytest.mark.parametrize("text", ["Dear\u202eAnn", "x" * 200_001])
def test_a_text_that_a_field_would_not_show_as_it_is_cannot_be_edited(text: str) -> None:
    call = {**LETTER, "parameters": {"text": text}}
    assert find_action(ask("approval", call=call, editable=("text",)), "edit-call") is None


def test_nothing_is_offered_to_edit_if_the_tool_allows_nothing() -> None:
    assert find_action(ask("approval", call=CALL), "edit-call") is None
    assert "Edit…" not in [action.label for action in card(ask("approval", call=CALL)).actions]


@pytest.mark.parametrize(("reason", "given"), [("", {}), ("Too early", {"reason": "Too early"})])
def test_a_reason_is_sent_only_if_there_is_one(reason: str, given: dict[str, str]) -> None:
    found = find_action(ask("approval", call=CALL), "reject")
    assert found is not None
    assert found.with_values({"reason": reason}).arguments == {"request": "q1", **given}


def test_requests_for_one_account_are_grouped() -> None:
    lost = ask("reconnect", subject="table:expenses", workflows=("tidy", "receipts"))
    assert make_problem(lost, overview()).group == "table:expenses"
    assert card(lost).title == "Tidy up, receipts"


@pytest.mark.parametrize("kind", ["unsure", "interrupted"])
def test_an_unknown_outcome_offers_every_answer_of_the_store(kind: str) -> None:
    given = {answer.arguments["answer"] for answer in list_actions(ask(kind))}
    assert given == {RequestAnswer.HAPPENED, RequestAnswer.NOT_HAPPENED, RequestAnswer.SKIP}


def test_a_card_shows_the_connection_the_action_and_each_parameter() -> None:
    [call] = card(ask("approval", call=CALL)).details
    assert call.body == Pairs(
        pairs=(
            ("Connection", "inbox · Files"),
            ("Action", "Delete a file, a link or an empty folder."),
            ("Path", "old/one.txt"),
        )
    )


def test_a_permission_shows_what_would_be_allowed() -> None:
    [section] = card(ask("permission", subject="tidy files:inbox delete")).details
    assert section.body == Pairs(
        pairs=(("Connection", "inbox · Files"), ("Action", "Delete a file, a link or an empty folder."))
    )


def test_an_unknown_connector_is_shown_by_its_names() -> None:
    strange = {"connection": "nobody:knows", "tool": "dance", "parameters": {}}
    [section] = card(ask("approval", call=strange)).details
    assert section.body == Pairs(pairs=(("Connection", "nobody:knows"), ("Action", "dance")))


def test_a_table_has_its_number_of_rows_in_the_title() -> None:
    call = {"connection": "table:t", "tool": "append", "parameters": {"rows": [{"a": 1}] * 40}}
    table = card(ask("approval", call=call)).details[-1]
    assert table.title == "Rows (40)"
    assert isinstance(table.body, DetailTable)


@pytest.mark.parametrize(("ui", "bodies"), [(None, 0), ("", 0), ("Mind the gap", 1), ({"To": "Ann"}, 1)])
def test_the_text_of_a_script_is_separate_from_the_call(ui: Any, bodies: int) -> None:
    """The sentence of the card is ours; the text of the script is quoted below it."""
    shown = card(ask("approval", sentence="Tidy a little", call=CALL, ui=ui))
    assert shown.sentence == "Delete old/one.txt in inbox"
    assert len(shown.details) == 1
    assert len(shown.script_sections) == 1 + bodies
    assert shown.script_sections[0].body == TextBlock(text="Tidy a little")
    if isinstance(ui, str) and ui:
        assert shown.script_sections[1].body == TextBlock(text=ui)


@pytest.mark.parametrize(
    ("earlier", "offered"),
    [(None, ["retry", "edit", "open", "dismiss"]), (1, ["retry", "edit", "rollback", "open", "dismiss"])],
)
def test_a_failed_script_can_be_edited_or_rolled_back_to_a_version_that_worked(
    earlier: int | None, offered: list[str]
) -> None:
    fault = FaultView(path="/home/ann/tidy.py", line=8, text='rows["amount"]', earlier=earlier)
    shown = card(ask("script-error", fault=fault))
    assert [action.id for action in shown.actions] == offered
    assert shown.details == (DetailSection(title="Line 8", body=TextBlock(text='rows["amount"]', is_code=True)),)
    assert [id_ for id_, _ in make_problem(ask("script-error", fault=fault), overview()).actions] == ["retry", "open"]


def test_a_card_shows_which_file_and_which_folder() -> None:
    """So that the user notices another file with the same name."""
    target = {"kind": "file", "inode": 7, "size": 12_300, "modified_ns": 1_794_830_400_123_456_789, "sha256": "x"}
    call = {**CALL, "target": target, "endpoint": {"path": "/home/ann/inbox"}}
    shown = card(ask("approval", call=call)).details[0].body
    assert isinstance(shown, Pairs)
    pairs = dict(shown.pairs)
    assert pairs["Folder"] == "/home/ann/inbox"
    assert pairs["Currently there"] == "File, 12.3 kB, modified today 13:00"


@pytest.mark.parametrize(
    ("target", "description"),
    [
        ({"kind": "folder", "inode": 1}, "Folder"),
        ({"kind": "link", "leads_to": "a", "size": 1, "modified_ns": 1, "inode": 1}, "Link to a"),
        ({"kind": "link", "leads_to": "a\u202eb"}, "Link to a⟨202E⟩b"),
        ({"etag": "of some connector"}, '{"etag": "of some connector"}'),
        ({"kind": "file", "id": "a\u202e7"}, '{"kind": "file", "id": "a⟨202E⟩7"}'),
        (
            {"kind": "file", "size": 10**30, "modified_ns": "now"},
            f'{{"kind": "file", "size": {10**30}, "modified_ns": "now"}}',
        ),
        ({"kind": "file", "size": 1, "modified_ns": 2**63}, f'{{"kind": "file", "size": 1, "modified_ns": {2**63}}}'),
        ({"kind": "file", "size": 2**63, "modified_ns": 1}, f'{{"kind": "file", "size": {2**63}, "modified_ns": 1}}'),
        ({"kind": "folder", "id": "7"}, '{"kind": "folder", "id": "7"}'),
        ({"kind": ["odd"]}, '{"kind": ["odd"]}'),
        ("row 7", "row 7"),
        (None, ""),
    ],
)
def test_a_card_shows_every_kind_of_target(target: object, description: str) -> None:
    shown = card(ask("approval", call={**CALL, "target": target})).details[0].body
    assert isinstance(shown, Pairs)
    assert dict(shown.pairs).get("Currently there", "") == description


def test_hidden_characters_in_an_endpoint_are_shown() -> None:
    shown = card(ask("approval", call={**CALL, "endpoint": {"path": "/home/\u202eann"}})).details[0].body
    assert isinstance(shown, Pairs)
    assert dict(shown.pairs)["Folder"] == "/home/⟨202E⟩ann"


@pytest.mark.parametrize("parameters", [["b"], None, "text"])
def test_a_malformed_call_has_a_card(parameters: Any) -> None:
    one = ask("approval", call={"connection": "files:inbox", "tool": None, "parameters": parameters, "endpoint": "x"})
    assert card(one).details
    assert [label for _, label in make_problem(one, overview_with(one)).actions] == ["Review"]


def test_a_card_shows_the_clock_time_and_not_an_age() -> None:
    assert card(ask("approval")).when == "today 13:00"


REPAIR = {
    "error": "It broke in line 3.",
    "base": 4,
    "version": 5,
    "before": "a\n",
    "source": "b\n",
    "asks": ["It newly imports os."],
    "sent": "all of it",
}


@pytest.mark.parametrize("kind", ["fix", "repaired"])
def test_a_repair_shows_the_error_the_changes_and_what_to_check(kind: str) -> None:
    error, warnings, changes = card(ask(kind, ui=REPAIR)).details
    assert (error.body, warnings.body) == (
        TextBlock(text="It broke in line 3."),
        TextBlock(text="It newly imports os."),
    )
    assert changes.body == TextDiff(old="a\n", new="b\n")
    assert "script failed" in card(ask(kind, ui=REPAIR)).sentence


@pytest.mark.parametrize("kind", ["fix", "repaired"])
def test_a_notification_of_a_repair_only_offers_a_review(kind: str) -> None:
    problem = make_problem(ask(kind, ui=REPAIR), overview())
    assert [label for _, label in problem.actions] == ["Review"]
    assert find_action(ask(kind, ui=REPAIR), problem.actions[0][0]) is None, "the button opens its card"


MAIL = {"connection": "smtp:work", "tool": "send", "parameters": {"to": "boss@example.org", "subject": "I resign"}}
LONG_MAIL = {**MAIL, "parameters": {**MAIL["parameters"], "text": "Goodbye. " * 200}}


def overview_with(one: RequestView) -> Overview:
    return replace(overview(), requests=(one,), summaries={one.id: summarize_call(one.call, REGISTRY)})


def test_a_notification_has_the_summary_before_the_text_of_the_script() -> None:
    one = ask("approval", sentence="Send the weekly\nreport", call=MAIL)
    problem = make_problem(one, overview_with(one))
    assert problem.text.splitlines() == [
        'Send mail from work to boss@example.org: "I resign"',
        "The workflow says: Send the weekly report",
    ]
    assert [label for _, label in problem.actions] == ["Approve", "Reject"]


@pytest.mark.parametrize("has_summary", [True, False])
def test_a_notification_of_a_call_that_does_not_fit_only_offers_a_review(has_summary: bool) -> None:  # noqa: FBT001
    one = ask("approval", sentence="Send the weekly report", call=LONG_MAIL)
    problem = make_problem(one, overview_with(one) if has_summary else overview())
    assert [label for _, label in problem.actions] == ["Review"]
    assert not problem.text.startswith("Send the weekly report")


def test_a_long_text_of_a_script_does_not_displace_the_summary() -> None:
    one = ask("approval", sentence="x" * 100_000, call=MAIL)
    lines = make_problem(one, overview_with(one)).text.splitlines()
    assert "boss@example.org" in lines[0]
    assert len(lines) == 2 and len(lines[1]) < 200


def test_the_tray_shows_the_summary_and_not_the_text_of_the_script() -> None:
    one = ask("approval", sentence="Send the weekly report", call=MAIL)
    first = make_entries(overview_with(one))[0]
    assert first.text.startswith("Tidy up: Send mail from work to boss@example.org")
    assert first.choice is not None and first.choice.page == "attention"


def test_parameters_with_the_same_label_are_both_on_the_card() -> None:
    parameters = {"summary": "harmless", "title": "TRANSFER everything", "with": "nobody"}
    shown = card(ask("approval", call={"connection": "lamp:a", "tool": "b", "parameters": parameters}))
    pairs = [pair for one in shown.details if isinstance(one.body, Pairs) for pair in one.body.pairs]
    labels = [label for label, _ in pairs]
    assert len(set(labels)) == len(labels) == 5
    assert {"harmless", "TRANSFER everything", "nobody"} <= {value for _, value in pairs}


def test_a_warning_about_a_look_alike_address_is_first_on_the_card() -> None:
    parameters = {"to": ["anna@\u0430pple.com"], "subject": "Hi"}
    first = card(ask("approval", call={**MAIL, "parameters": parameters})).details[0]
    assert first.title == "Check these addresses"
    assert first.body == TextBlock(text="xn--pple-43d.com looks like apple.com but is a different server.")


def test_the_exact_call_is_available_as_json() -> None:
    raw = card(ask("approval", call=CALL)).exact_call
    assert raw is not None and json.loads(raw()) == CALL


FAILED = FailedRunView(
    handler="backup",
    summary="backup failed 3 times in a row since 3 November.",
    failures=3,
    since=NOW,
    reason="b.py, line 4: The command restic exited with code 1.",
    command="restic backup /home",
    output="\n".join(f"line {number}" for number in range(6)),
    next_at=datetime(2026, 11, 17, 2, tzinfo=UTC),
    is_paused=False,
)


def test_a_failed_job_is_shown_with_its_command_output_and_next_run() -> None:
    content = card(ask("run-failed", failed_run=FAILED))
    assert content.sentence == FAILED.summary
    assert content.details[0].body == Pairs(
        pairs=(("Reason", FAILED.reason), ("Command", "restic backup /home"), ("Next run", "tomorrow 03:00"))
    )
    assert content.details[1].body == TextBlock(text=FAILED.output, is_code=True)
    assert [action.label for action in content.actions] == ["Run again", "Show log", "Dismiss"]


def test_a_failed_job_without_output_says_that_it_printed_nothing() -> None:
    content = card(ask("run-failed", failed_run=replace(FAILED, output="")))
    assert content.details[1] == DetailSection(title="Last output", body=TextBlock(text="It printed nothing."))


def test_a_repair_is_applied_or_not_and_kept_or_rolled_back() -> None:
    labels = [[action.label for action in card(ask(kind, ui=REPAIR)).actions] for kind in ("fix", "repaired")]
    assert labels == [["Apply", "Don't apply", "Show what was sent"], ["Keep it", "Roll back", "Show what was sent"]]


@pytest.mark.parametrize("kind", [one.value for one in RequestKind])
def test_every_answer_can_be_undone_and_nothing_else_waits(kind: str) -> None:
    at_once = {"retry", "resume", "rollback", "send", "edit", "open", "log", "sent", "reconnect"}
    for action in list_actions(ask(kind, ui=REPAIR)):
        assert bool(action.given) is (action.id not in at_once), action


def test_a_job_that_keeps_failing_says_that_it_waits_for_the_user() -> None:
    content = card(ask("too-many-failures", failed_run=replace(FAILED, next_at=None)))
    assert isinstance(content.details[0].body, Pairs)
    assert content.details[0].body.pairs[-1] == ("Next run", "Not before you resume it or run it again")
    assert [action.label for action in content.actions] == ["Run again", "Resume", "Show log", "Dismiss"]


def test_the_notification_of_a_failed_job_has_its_command_last_lines_and_count() -> None:
    problem = make_problem(ask("run-failed", failed_run=FAILED), overview())
    assert problem.text.splitlines() == [FAILED.summary, "restic backup /home", "line 3", "line 4", "line 5"]
    assert (problem.count, [label for _, label in problem.actions]) == (3, ["Run again", "Show log"])


def test_an_interrupted_job_is_not_counted_as_failed() -> None:
    interrupted = replace(FAILED, summary="Dayhand quit while backup was running.", reason="", command="", output="")
    problem = make_problem(ask("run-interrupted", failed_run=interrupted), overview())
    assert (problem.text, problem.count) == ("Dayhand quit while backup was running.", 1)


def test_the_card_of_a_connection_that_was_never_connected_does_not_speak_of_an_expired_sign_in() -> None:
    content = card(ask("reconnect", subject="table:expenses"))
    assert content.sign.word == "Not connected"
    assert [action.label for action in content.actions] == ["Connect…"]


def test_a_card_and_a_notification_name_the_job_of_a_workflow_with_several() -> None:
    request = ask("run-failed", failed_run=FAILED, job="backup")
    assert card(request).title == "Tidy up · Backup"
    problem = make_problem(request, overview())
    assert (problem.title, problem.group) == ("Tidy up · Backup", "Tidy up")


@pytest.mark.parametrize(
    ("on_expiry", "when", "reminder"),
    [
        ("reject", "expires tomorrow 13:00", "Reminder: expires tomorrow 13:00 and then counts as rejected."),
        ("leave", "please answer by tomorrow 13:00", "Reminder: please answer by tomorrow 13:00."),
    ],
)
def test_a_request_that_expires_says_when(on_expiry: str, when: str, reminder: str) -> None:
    one = ask("question", questions=[QUESTION], expires=NOW + timedelta(days=1), on_expiry=on_expiry)
    assert card(one).when.endswith(f" · {when}")
    assert (reminder in make_problem(one, overview()).text, make_problem(one, overview()).reminders) == (False, 0)
    reminded = make_problem(replace(one, reminded=NOW), overview())
    assert (reminder in reminded.text, reminded.reminders) == (True, 1)
