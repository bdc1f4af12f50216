"""Morning digest: new entries of a feed since yesterday, in one email every morning."""

# /// dayhand-template
# summary = "new entries of a feed, in one email every morning"
# does = "Collects new entries of {FEED} and emails them to {TO} each morning at {AT}."
# also.MAIL = "The emails are sent from {MAIL}."
# asks = "You approve the first email; later ones are sent without asking."
# [ask.FEED]
# question = "Feed address"
# kind = "address"
# required = true
# [ask.TO]
# question = "Send the email to"
# kind = "mail"
# required = true
# [ask.AT]
# question = "Time"
# kind = "time"
# [ask.ZONE]
# question = "Time zone"
# kind = "zone"
# [ask.MAIL]
# question = "Send from"
# kind = "account"
# connector = "smtp"
# missing = "Needs an email account to send from"
# [connect.NEWS]
# url = "FEED"
# ///
from datetime import timedelta
from zoneinfo import ZoneInfo

import dayhand

NEWS = "feed:news"
MAIL = "smtp:mail"
TO = "me@example.org"
AT = "09:00"
ZONE = "UTC"
MAX_ENTRIES = 200

flow = dayhand.Workflow("Morning digest", connections=[NEWS, MAIL])
entries = flow.topic("entries")


@flow.producer(every="1h", needs="network", publishes=[entries])
def read(ctx, state):
    """Publishing the same entry again has no effect, so it may run at any interval."""
    answer = ctx.call(NEWS, "entries", etag=state.get("etag", ""), modified=state.get("modified", ""))
    for entry in answer["entries"]:
        ctx.publish(entries, id=entry["id"], title=entry["title"], data={"link": entry["link"]})
    return {"etag": answer["etag"], "modified": answer["modified"]}


@flow.consumer(subscribe=[entries], approve="first")
class Mail:
    """Asks before the first email, and not again after you approve it."""

    def prepare(self, ctx, state):
        batch = ctx.peek(entries, limit=MAX_ENTRIES)
        if not batch:
            return dayhand.nothing()
        morning = morning_after(batch[0].published_at)
        if ctx.now < morning:
            return dayhand.nothing(wake_at=morning)
        lines = [f"{event.title}\n  {event.data['link']}" for event in batch]
        return dayhand.prepared(
            reserve=batch,
            data={"subject": f"{len(batch)} new this morning", "text": "\n\n".join(lines)},
            say=f"Email you {len(batch)} new entr{'y' if len(batch) == 1 else 'ies'}",
            wake_at=ctx.now if len(batch) == MAX_ENTRIES else None,
        )

    def mutate(self, ctx, prepared):
        ctx.call(MAIL, "send", to=[TO], subject=prepared.data["subject"], text=prepared.data["text"])

    def next(self, ctx, prepared, result, state):
        if ctx.outcome == "skipped":
            ctx.done("Not sent")
            return
        ctx.done(f"Emailed {len(prepared.reserve)} new this morning")


def morning_after(instant):
    local = instant.astimezone(ZoneInfo(ZONE))
    morning = local.replace(hour=int(AT[:2]), minute=int(AT[3:]), second=0, microsecond=0)
    return morning if morning > local else morning + timedelta(days=1)
