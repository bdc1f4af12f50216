"""Nightly command: run a command every night, or later if the computer was off."""

# /// dayhand-template
# summary = "runs a command every night; a missed night is caught up in the morning"
# [ask.COMMAND]
# question = "Command"
# kind = "command"
# required = true
# [ask.AT]
# question = "Time"
# kind = "time"
# ///
import dayhand

COMMAND = ["true"]
AT = "03:00"

flow = dayhand.Workflow("Nightly command")


@flow.job(
    calendar={"hour": int(AT[:2]), "minute": int(AT[3:])},
    catchup="one",
    overlap="skip",
    timeout="6h",
)
def nightly(ctx):
    """Several missed nights are caught up with one run. If it fails, you are notified; the log has its output."""
    ctx.run(COMMAND)
    late = ctx.planned is not None and (ctx.now - ctx.planned).total_seconds() > 3600
    ctx.done(f"{COMMAND[0]} finished{' late' if late else ''}")
