"""The overview of a running session, and the watcher that keeps it up to date."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from pytestqt.qtbot import QtBot

from app.background import run_command
from app.i18n.state_labels import TrayState
from app.overview import Overview, describe_next_run
from app.overview_watcher import OverviewWatcher, load_overview
from app.session import Session
from scheduler.engine.queries.requests import RequestView
from scheduler.timing.policies import Need
from tests.app.app_fixture import LIMIT, Wait, deploy, empty, installation, request_, wait

__all__ = ["empty", "installation", "request_", "wait"]


class Offline:
    """A machine without a network."""

    def holds(self, need: Need) -> bool | None:
        return need is not Need.NETWORK


def test_a_request_takes_precedence(installation: Session, request_: RequestView) -> None:
    overview = load_overview(installation, Offline())
    assert overview.state is TrayState.ATTENTION
    assert overview.requests == (request_,)
    assert overview.name_of("receipts") == "Receipts"
    assert overview.name_of("unknown") == "unknown"
    assert describe_next_run(overview).startswith("Next: Receipts, ")
    run_command(installation, "pause", everything=True)
    assert describe_next_run(load_overview(installation)) == ""


def test_a_malformed_call_does_not_break_the_overview(
    installation: Session, request_: RequestView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if another program had written the store."""
    odd = replace(request_, id="odd", call={"connection": 7, "parameters": ["b"]})
    monkeypatch.setattr(installation.queries, "attention", lambda: [odd, request_])
    overview = load_overview(installation)
    assert not overview.summaries["odd"].is_complete
    assert request_.id in overview.summaries


def test_offline_is_shown_only_if_nothing_else_applies(empty: Session) -> None:
    assert load_overview(empty).state is TrayState.IDLE
    assert load_overview(empty, Offline()).state is TrayState.OFFLINE
    deploy(empty, "Chore", "pass")
    run_command(empty, "pause", everything=True)
    assert load_overview(empty, Offline()).state is TrayState.PAUSED
    run_command(empty, "resume", everything=True)
    assert load_overview(empty).state is TrayState.IDLE


def test_the_watcher_emits_changes(qtbot: QtBot, empty: Session, wait: Wait) -> None:
    watcher = OverviewWatcher(empty)
    emitted: list[Overview] = []
    watcher.changed.connect(emitted.append)
    deploy(empty, "Chore", "pass")
    qtbot.waitUntil(lambda: bool(emitted and emitted[-1].workflows), timeout=LIMIT)
    run_command(empty, "pause", everything=True)
    qtbot.waitUntil(lambda: emitted[-1].is_paused, timeout=LIMIT)
    assert watcher.latest is emitted[-1]
    watcher.close()


def test_the_watcher_refreshes_at_midnight(qtbot: QtBot, empty: Session) -> None:
    """`tomorrow` becomes `today` in the tooltip and the status line."""
    watcher = OverviewWatcher(empty)
    watcher.refresh()
    qtbot.waitUntil(lambda: watcher.latest is not None, timeout=LIMIT)
    left = timedelta(milliseconds=watcher._expiry_timer.remainingTime())
    local = datetime.now(watcher.latest.zone)  # type: ignore[union-attr]
    assert abs((local + left) - local.replace(hour=0, minute=0, second=0) - timedelta(days=1)) < timedelta(minutes=1)
    with qtbot.waitSignal(watcher.changed, timeout=LIMIT):
        watcher._expiry_timer.start(0)
    watcher.close()


def test_the_watcher_refreshes_at_the_end_of_a_pause(qtbot: QtBot, empty: Session) -> None:
    """Without any other change."""
    deploy(empty, "Chore", "pass")
    watcher = OverviewWatcher(empty)
    end = empty.now() + timedelta(seconds=2)
    run_command(empty, "pause", everything=True, until=f"{end:%Y-%m-%dT%H:%M:%SZ}")
    qtbot.waitUntil(lambda: watcher.latest is not None and watcher.latest.is_paused, timeout=LIMIT)
    qtbot.waitUntil(lambda: watcher.latest is not None and not watcher.latest.is_paused, timeout=LIMIT)
    watcher.close()
