"""Calendar reminder: notify me shortly before each calendar event."""

# /// dayhand-template
# summary = "a notification before each calendar event"
# does = "Shows a notification {LEAD} minutes before each event in {CALENDAR} that has a start time."
# [ask.CALENDAR]
# question = "Calendar"
# kind = "account"
# connector = "caldav"
# missing = "Needs a calendar"
# [ask.LEAD]
# question = "Minutes before the event"
# kind = "number"
# ///
from datetime import datetime, timedelta, timezone

import dayhand

CALENDAR = "caldav:calendar"
LEAD = 15
LEAD_TIME = timedelta(minutes=LEAD)

flow = dayhand.Workflow("Calendar reminder", connections=[CALENDAR, "notify:me"])
events = flow.topic("events")


@flow.producer(every="15m", needs="network", publishes=[events])
def check(ctx, state):
    """A moved event has a new start, hence a new id, and is announced again."""
    for key, event in upcoming(ctx).items():
        ctx.publish(events, id=key, title=event["title"], data={"start": event["start"]})


@flow.consumer(subscribe=[events], approve="never")
class Remind:
    def prepare(self, ctx, state):
        waiting = sorted(ctx.peek(events, limit=1000), key=begins)
        due = [event for event in waiting if begins(event) - LEAD_TIME <= ctx.now]
        later = waiting[len(due) :]
        wake = begins(later[0]) - LEAD_TIME if later else None
        if not due:
            return dayhand.nothing(wake_at=wake)
        still = upcoming(ctx)  # without events that were moved or cancelled
        current = [event for event in due if event.id in still and begins(event) > ctx.now]
        titles = ", ".join(event.title for event in current)
        return dayhand.prepared(
            reserve=due,
            data=[{"title": event.title, "begins": f"{begins(event).astimezone():%H:%M}"} for event in current],
            say=f"Remind you of {titles}" if current else "Cancelled; nothing to do",
            wake_at=wake,
        )

    def mutate(self, ctx, prepared):
        if prepared.data:
            titles = ", ".join(event["title"] for event in prepared.data)
            lines = "\n".join(f"{event['title']} begins at {event['begins']}" for event in prepared.data)
            ctx.call("notify:me", "send", title=titles, text=lines)

    def next(self, ctx, prepared, result, state):
        if prepared.data:
            ctx.done(f"Reminded you of {', '.join(event['title'] for event in prepared.data)}")


def upcoming(ctx):
    """Events of the next 24 hours that have a start time, by id and start."""
    end = ctx.now + timedelta(hours=24)
    found = ctx.call(CALENDAR, "events", start=ctx.now.isoformat(), end=end.isoformat())
    return {f"{event['id']} {event['start']}": event for event in found if "T" in event.get("start", "")}


def begins(event):
    at = datetime.fromisoformat(event.data["start"].replace("Z", "+00:00"))
    return at if at.tzinfo else at.replace(tzinfo=timezone.utc)
