"""Schedules stored by an earlier version, with the defaults of that time, follow the defaults of today."""

import json

from scheduler.store.own_policies import keep_own_policies
from tests.runs.runtime_fixture import RuntimeFixture
from tests.runs.scripts import job

SCRIPT = job("pass") + "\n@flow.job(every='1h', overlap='buffer_all', catchup_window='2h')\ndef k(ctx):\n    pass\n"


def store(runtime: RuntimeFixture, handler: str, **policies: str) -> None:
    with runtime.database.write() as db:
        db.execute("UPDATE schedules SET policies = ? WHERE handler = ?", (json.dumps(policies), handler))


def stored(runtime: RuntimeFixture, handler: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(runtime.schedule(handler).policies)
    return found


def test_only_what_the_script_sets_stays_stored(runtime: RuntimeFixture) -> None:
    runtime.deploy(SCRIPT)
    store(runtime, "j", overlap="skip", catchup="one")
    store(runtime, "k", overlap="buffer_all", catchup="one", catchup_window="2h")
    keep_own_policies(runtime.database)
    assert stored(runtime, "j") == {}
    assert stored(runtime, "k") == {"overlap": "buffer_all", "catchup_window": "2h"}


def test_a_policy_that_the_user_sets_afterwards_stays(runtime: RuntimeFixture) -> None:
    """It happens once per store."""
    runtime.deploy(SCRIPT)
    keep_own_policies(runtime.database)
    runtime.services.schedule_commands.edit("w/j", version=None, policies={"overlap": "cancel_other"})
    keep_own_policies(runtime.database)
    assert stored(runtime, "j") == {"overlap": "cancel_other"}


def test_a_schedule_that_cannot_be_read_is_left_alone(runtime: RuntimeFixture) -> None:
    runtime.deploy(SCRIPT)
    with runtime.database.write() as db:
        db.execute("UPDATE schedules SET policies = 'not JSON' WHERE handler = 'j'")
    keep_own_policies(runtime.database)
    assert runtime.schedule("j").policies == "not JSON"
