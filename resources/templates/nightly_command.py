"""Nightly command: run a command every night, also afterwards if the computer was off."""

# /// dayhand-template
# summary = "a command every night; a missed night is made up for in the morning"
# [ask.COMMAND]
# question = "Which command is to run?"
# kind = "command"
# required = true
# [ask.AT]
# question = "At what time?"
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
    after_crash="ask",
    timeout="6h",
)
def nightly(ctx):
    """Several nights off are made up for once. If it fails you are told, and the log has what it printed."""
    ctx.run(COMMAND)
    late = ctx.planned is not None and (ctx.now - ctx.planned).total_seconds() > 3600
    ctx.done(f"{COMMAND[0]} is done{', late but done' if late else ''}")
