"""How everything stands, read from a running installation and followed."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from pytestqt.qtbot import QtBot

from app.asking import command
from app.life.installation import Installation
from app.lookout import Lookout, read_overview
from app.overview import Overview, say_next
from app.words.states import TrayState
from scheduler.engine.workflows.views.requests import RequestView
from scheduler.timing.policies import Need
from tests.app.living import LIMIT, Wait, deploy, empty, installation, request_, wait

__all__ = ["empty", "installation", "request_", "wait"]


class Offline:
    """A machine without a network."""

    def holds(self, need: Need) -> bool | None:
        return need is not Need.NETWORK


def test_a_question_is_what_matters_most(installation: Installation, request_: RequestView) -> None:
    overview = read_overview(installation, Offline())
    assert overview.state is TrayState.ATTENTION
    assert overview.requests == (request_,)
    assert overview.name_of("receipts") == "Receipts"
    assert overview.name_of("unknown") == "unknown"
    assert say_next(overview).startswith("Next: Receipts, ")
    command(installation, "pause", everything=True)
    assert say_next(read_overview(installation)) == ""


def test_a_call_of_another_form_does_not_hide_everything_else(
    installation: Installation, request_: RequestView, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stands in for a store that somebody else wrote."""
    odd = replace(request_, id="odd", call={"connection": 7, "parameters": ["b"]})
    monkeypatch.setattr(installation.views, "attention", lambda: [odd, request_])
    overview = read_overview(installation)
    assert not overview.summaries["odd"].is_complete
    assert request_.id in overview.summaries


def test_a_machine_without_a_network_is_said_only_where_nothing_else_is(empty: Installation) -> None:
    assert read_overview(empty).state is TrayState.IDLE
    assert read_overview(empty, Offline()).state is TrayState.OFFLINE
    deploy(empty, "Chore", "pass")
    command(empty, "pause", everything=True)
    assert read_overview(empty, Offline()).state is TrayState.PAUSED
    command(empty, "resume", everything=True)
    assert read_overview(empty).state is TrayState.IDLE


def test_one_who_watches_is_told_of_changes_by_themselves(qtbot: QtBot, empty: Installation, wait: Wait) -> None:
    lookout = Lookout(empty)
    seen: list[Overview] = []
    lookout.changed.connect(seen.append)
    deploy(empty, "Chore", "pass")
    qtbot.waitUntil(lambda: bool(seen and seen[-1].workflows), timeout=LIMIT)
    command(empty, "pause", everything=True)
    qtbot.waitUntil(lambda: seen[-1].is_paused, timeout=LIMIT)
    assert lookout.latest is seen[-1]
    lookout.close()


def test_at_midnight_one_looks_again_though_there_are_no_news(qtbot: QtBot, empty: Installation) -> None:
    """What was tomorrow is today then, in the tooltip and at the foot of the window."""
    lookout = Lookout(empty)
    lookout.look()
    qtbot.waitUntil(lambda: lookout.latest is not None, timeout=LIMIT)
    left = timedelta(milliseconds=lookout._later.remainingTime())
    local = datetime.now(lookout.latest.zone)  # type: ignore[union-attr]
    assert abs((local + left) - local.replace(hour=0, minute=0, second=0) - timedelta(days=1)) < timedelta(minutes=1)
    with qtbot.waitSignal(lookout.changed, timeout=LIMIT):
        lookout._later.start(0)
    lookout.close()


def test_the_end_of_a_pause_is_seen_by_itself(qtbot: QtBot, empty: Installation) -> None:
    """Nothing else may happen for hours."""
    deploy(empty, "Chore", "pass")
    lookout = Lookout(empty)
    end = empty.house.engine.context.clock.now() + timedelta(seconds=2)
    command(empty, "pause", everything=True, until=f"{end:%Y-%m-%dT%H:%M:%SZ}")
    qtbot.waitUntil(lambda: lookout.latest is not None and lookout.latest.is_paused, timeout=LIMIT)
    qtbot.waitUntil(lambda: lookout.latest is not None and not lookout.latest.is_paused, timeout=LIMIT)
    lookout.close()
