"""Empty script: a place to start from in your editor."""

# /// dayhand-template
# summary = "for programmers: a Python file, opened in your editor"
# does = "Adds a Python file that does nothing yet, and updates the workflow whenever you save it. It starts paused."
# for_programmers = true
# ///
import dayhand

flow = dayhand.Workflow("Empty script")


@flow.job(every="1h")
def run(ctx):
    """Use ctx.run for commands, and a producer with a consumer for actions that need your approval."""
    ctx.done("Nothing to do yet")
