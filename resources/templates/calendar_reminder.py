"""Calendar reminder: tell me a while before each event of my calendar begins."""

# /// dayhand-template
# summary = "a notice before each event of a calendar begins"
# [ask.LEAD]
# question = "How many minutes before?"
# kind = "number"
# ///
from datetime import datetime, timedelta, timezone

import dayhand

LEAD = 15

flow = dayhand.Workflow("Calendar reminder", connections=["caldav:calendar", "notify:me"])
events = flow.topic("events")


@flow.producer(every="15m", needs="network", publishes=[events])
def look(ctx, state):
    """A moved event has another start, so another id, and is told anew."""
    end = ctx.now + timedelta(hours=24)
    for event in ctx.call("caldav:calendar", "events", start=ctx.now.isoformat(), end=end.isoformat()):
        if event.get("start") and "T" in event["start"]:
            ctx.publish(
                events, id=f"{event['id']} {event['start']}", title=event["title"], data={"start": event["start"]}
            )


@flow.consumer(subscribe=[events], approve="never")
class Remind:
    def prepare(self, ctx, state):
        waiting = sorted(ctx.peek(events, limit=1000), key=begins)
        over = [event for event in waiting if begins(event) <= ctx.now]
        due = [event for event in waiting if event not in over and begins(event) - timedelta(minutes=LEAD) <= ctx.now]
        later = [event for event in waiting if event not in over and event not in due]
        wake = begins(later[0]) - timedelta(minutes=LEAD) if later else None
        if not due and not over:
            return dayhand.nothing(wake_at=wake)
        return dayhand.prepared(
            reserve=[*over, *due],
            data=[{"title": event.title, "start": event.data["start"]} for event in due],
            say=f"Remind you of {len(due)} events",
            wake_at=wake,
        )

    def mutate(self, ctx, prepared):
        if prepared.data:
            titles = ", ".join(event["title"] for event in prepared.data)
            times = ", ".join(event["start"][11:16] for event in prepared.data)
            ctx.call("notify:me", "send", title=titles, text=f"begins at {times}")

    def next(self, ctx, prepared, result, state):
        if prepared.data:
            ctx.done(f"Reminded you of {', '.join(event['title'] for event in prepared.data)}")


def begins(event):
    at = datetime.fromisoformat(event.data["start"].replace("Z", "+00:00"))
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
