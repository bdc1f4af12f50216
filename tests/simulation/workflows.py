"""The workflows of the simulated user, and how they vary from deploy to deploy."""

from random import Random
from typing import Any

CHORES = """
import dayhand
flow = dayhand.Workflow("Chores")

@flow.job(cron="30 2 * * *", timezone="local", catchup="{catchup}")
def backup(ctx):
    return ctx.key

@flow.job(calendar={{"hour": 9, "weekday": "mon-fri"}}, timezone="Europe/Berlin", overlap="buffer_one")
def report(ctx):
    return ctx.key

@flow.job(cron="15 */{hours} * * *", timezone="local", retries={retries}, max_failures={max_failures})
def tidy(ctx):
    return ctx.key

@flow.job(every="{every}", catchup="{catchup}", catchup_window="3d", after_crash="{after_crash}")
def check_disks(ctx):
    return ctx.key
"""
IMPORTED = """
import dayhand
flow = dayhand.Workflow("Imported")

@flow.job(cron="5 4 * * sun", timezone="local", max_failures=0)
def vacuum(ctx):
    return ctx.key

@flow.job(cron=["0 12 1 * *", "0 {hour} * * 1"], timezone="America/New_York", max_failures=0)
def bills(ctx):
    return ctx.key
"""


def choose_acting(random: Random) -> dict[str, Any]:
    """Options of `tests.runs.random_scripts.script`, at the pace of a chore."""
    chosen: dict[str, Any] = {
        "every": random.choice(["3h", "5h", "8h"]),
        "job_every": random.choice(["6h", "12h"]),
        "approve": random.choice(["always", "always", "first", "never"]),
        "tool": random.choice(["act", "act", "send", "blind"]),
        "after_crash": random.choice(["next", "again", "ask", "never"]),
        "overlap": random.choice(["skip", "buffer_one", "terminate_other"]),
        "retries": random.choice([0, 0, 2]),
        "max_failures": random.choice([0, 3, 5]),
        "wake": random.choice(["seconds=40", "hours=5", "days=9"]),
        "asks": random.random() < 0.2,
    }
    if random.random() < 0.2:
        chosen |= {"expires": random.choice(["'1h'", "'2d'"]), "on_expiry": random.choice(["reject", "leave"])}
    if random.random() < 0.1:
        chosen["takes"] = False
    if random.random() < 0.1:
        chosen["has_job"] = False
    return chosen


def choose_chores(random: Random) -> dict[str, Any]:
    return {
        "catchup": random.choice(["one", "all", "none", "spread"]),
        "hours": random.choice([4, 6]),
        "retries": random.choice([0, 1]),
        "max_failures": random.choice([0, 2, 5]),
        "every": random.choice(["5h", "1d"]),
        "after_crash": random.choice(["next", "again", "ask"]),
    }
