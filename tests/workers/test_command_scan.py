"""The commands of jobs are found in the script, without running it."""

from scheduler.workers.command_scan import find_commands

SCRIPT = """
import dayhand
flow = dayhand.Workflow("A")
TARGET = "/backup"


def copy(ctx):
    ctx.run(["rsync", "-a", "here", TARGET])


@flow.job(every="1h")
def first(ctx):
    ctx.run(["/usr/bin/env", "LANG=C", "/bin/sh", "-c", "restic backup ~/Documents"])
    copy(ctx)


@flow.job(every="1h")
def second(ctx):
    ctx.run(["restic", "forget", str(7), *rest], check=False)


@flow.job(every="1h")
def third(ctx):
    ctx.run(words)
"""


def test_each_job_has_its_commands_without_what_prepares_them() -> None:
    assert find_commands(SCRIPT) == {
        "first": "restic backup ~/Documents; rsync -a here /backup",
        "second": "restic forget … …",
    }


def test_a_script_that_cannot_be_parsed_has_none() -> None:
    assert find_commands("def (") == {}
