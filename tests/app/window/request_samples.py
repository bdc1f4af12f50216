"""Open requests as the engine would report them, without an engine behind them."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from zoneinfo import ZoneInfo

from app.overview import Overview
from app.requests.call_summary import summarize_call
from scheduler.connections.registry import Registry
from scheduler.engine.queries.requests import FailedRunView, RequestView
from scheduler.rules.requests import RequestKind

NOW = datetime(2026, 11, 18, 14, 20, tzinfo=ZoneInfo("Europe/Berlin"))
RECEIPT = {"shop": "Corner Bakery", "date": "2026-11-17", "amount": 12.5}


def make_request(number: int, kind: RequestKind, workflow: str = "receipts", **facts: Any) -> RequestView:
    """The higher the number, the older it is."""
    given: dict[str, Any] = {
        "id": f"{workflow}-{kind.slug}-{number:04}",
        "kind": kind,
        "workflow": workflow,
        "workflows": (workflow,),
        "run": f"run-{workflow}-{number}",
        "subject": workflow,
        "sentence": f"Something about {number}",
        "call": None,
        "ui": None,
        "created": NOW - timedelta(minutes=number),
        "answer": None,
        "answered": None,
        "how": (),
    }
    return RequestView(**(given | facts))


def make_approval(number: int, workflow: str = "receipts", **facts: Any) -> RequestView:
    call = {
        "connection": "table:expenses",
        "tool": "append",
        "parameters": facts.pop("parameters", {"rows": [{**RECEIPT, "amount": number + 0.5}]}),
        "endpoint": {"path": "/home/ann/expenses.csv", "table": "rows"},
        **facts.pop("call", {}),
    }
    given = {"handler": "FileReceipt", "call": call, "call_hash": f"hash {number}", "sentence": f"Add receipt {number}"}
    return make_request(number, RequestKind.APPROVAL, workflow, **(given | facts))


def make_mail(number: int, workflow: str = "reminders", text: str = "Please pay until Friday.") -> RequestView:
    call = {"connection": "smtp:work", "tool": "send", "endpoint": {"host": "mail.example.com", "user": "ann"}}
    parameters = {"to": f"customer{number}@example.com", "subject": f"Invoice {number}", "text": text}
    return make_approval(number, workflow, call=call, parameters=parameters, handler="Remind", sentence="Remind them")


def make_failure(number: int, workflow: str = "backup", handler: str = "go") -> RequestView:
    failed = FailedRunView(
        handler=handler,
        summary=f"{handler} failed 2 times in a row since 06:04.",
        failures=2,
        since=NOW - timedelta(hours=8),
        reason="The command restic exited with code 1.",
        command="restic backup ~/Documents",
        output="unable to open repository\nno such host",
        next_at=NOW + timedelta(hours=1),
        is_paused=False,
    )
    return make_request(number, RequestKind.RUN_FAILED, workflow, failed_run=failed, handler=handler)


def make_busy_desk() -> list[RequestView]:
    """133 requests of 28 workflows: ten failures, and approvals of four kinds of action on several accounts."""
    requests = [make_failure(number, f"backup-{number}") for number in range(10)]
    for number in range(60):
        path = f"/home/ann/tables/{number % 6}.csv"
        call = {"connection": f"table:expenses{number % 6}", "endpoint": {"path": path, "table": "rows"}}
        requests.append(make_approval(number, f"receipts-{number % 6}", call=call))
    requests += [make_mail(number, f"reminders-{number % 5}") for number in range(40)]
    for number in range(15):
        call = {"connection": "files:inbox", "tool": "trash", "endpoint": {"path": "/home/ann/Inbox"}}
        parameters = {"path": f"old-{number}.pdf"}
        requests.append(make_approval(number, f"clean-{number % 4}", call=call, parameters=parameters))
    for number in range(8):
        call = {"connection": "files:photos", "tool": "move", "endpoint": {"path": "/home/ann/Photos"}}
        parameters = {"path": f"{number}.jpg", "to": f"2026/{number}.jpg"}
        requests.append(make_approval(number, f"sort-{number % 3}", call=call, parameters=parameters))
    return requests


def make_overview(
    requests: Iterable[RequestView], registry: Registry | None = None, names: dict[str, str] | None = None
) -> Overview:
    listed = tuple(sorted(requests, key=lambda one: one.created))
    slugs = dict.fromkeys(slug for one in listed for slug in one.workflows)
    workflows: Any = tuple(
        SimpleNamespace(
            workflow=slug, name=(names or {}).get(slug, slug.replace("-", " ").capitalize()), next=None, state="idle"
        )
        for slug in slugs
    )
    summaries = {} if registry is None else {one.id: summarize_call(one.call, registry) for one in listed if one.call}
    return Overview(now=NOW, zone=ZoneInfo("Europe/Berlin"), workflows=workflows, requests=listed, summaries=summaries)
