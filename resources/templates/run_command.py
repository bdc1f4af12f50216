"""Run a command: run it on the days and at the time I choose, or later if the computer was off."""

# /// dayhand-template
# summary = "a program or backup, on the days you choose; a missed day is caught up later"
# does = "Runs {COMMAND} in {FOLDER}. If it fails, you get a notification with the last lines of its output."
# [ask.COMMAND]
# question = "Command"
# kind = "command"
# required = true
# [ask.AT]
# question = "Time"
# kind = "time"
# [ask.DAYS]
# question = "On these days"
# kind = "weekdays"
# [ask.FOLDER]
# question = "Run it in this folder"
# kind = "folder"
# ///
import os

import dayhand

COMMAND = ["true"]
AT = "03:00"
DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
FOLDER = "~"

flow = dayhand.Workflow("Run a command")


@flow.job(
    calendar={"hour": int(AT[:2]), "minute": int(AT[3:]), "weekday": DAYS},
    catchup="one",
    overlap="skip",
    timeout="6h",
)
def run(ctx):
    """Several missed days are caught up with one run. If it fails, you are notified; the log has its output."""
    os.chdir(os.path.expanduser(FOLDER))
    ctx.run(COMMAND)
    late = ctx.planned is not None and (ctx.now - ctx.planned).total_seconds() > 3600
    ctx.done(f"{COMMAND[0]} finished{' late' if late else ''}")
