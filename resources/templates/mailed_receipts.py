"""Mailed receipts: enter receipts from my inbox in a table, after I said yes."""

# /// dayhand-template
# summary = "receipts in the inbox become rows of a table, after you said yes"
# [ask.TABLE]
# question = "In which table, a file that ends in .csv or .sqlite?"
# kind = "file"
# required = true
# [ask.SUBJECT]
# question = "Which word in the subject makes a mail a receipt?"
# [connect."table:expenses"]
# path = "TABLE"
# ///
import re

import dayhand

SUBJECT = "receipt"
MOST = 10
AMOUNT = re.compile(r"(?:total|amount|sum)\D{0,20}?(\d[\d.,]*)", re.IGNORECASE)

flow = dayhand.Workflow("Mailed receipts", connections=["imap:home", "table:expenses"])
mails = flow.topic("mails")


@flow.producer(every="10m", needs="network", publishes=[mails])
def look(ctx, state):
    found = ctx.call("imap:home", "search", subject=SUBJECT, after_uid=state.get("uid", 0))
    for mail in found:
        ctx.publish(mails, id=mail["message_id"], title=mail["subject"], data={"uid": mail["uid"]})
        state["uid"] = max(state.get("uid", 0), mail["uid"])
    return state


@flow.consumer(subscribe=[mails], approve="always")
class Enter:
    def prepare(self, ctx, state):
        batch = ctx.peek(mails, limit=MOST)
        if not batch:
            return dayhand.nothing()
        rows = [read_receipt(ctx.call("imap:home", "fetch", uid=event.data["uid"])) for event in batch]
        unclear = sum(row["amount"] == "" for row in rows)
        return dayhand.prepared(
            reserve=batch,
            data=rows,
            say=f"Enter {count(rows)}{f', {unclear} without an amount' if unclear else ''}",
            ui={f"{n}. {row['subject']}": row["amount"] or "no amount found" for n, row in enumerate(rows, 1)},
            wake_at=ctx.now if len(batch) == MOST else None,
        )

    def mutate(self, ctx, prepared):
        ctx.call("table:expenses", "append", rows=prepared.data)

    def next(self, ctx, prepared, result, state):
        if ctx.outcome == "skipped":
            ctx.done(f"Left out {count(prepared.data)}, as you said")
            return state
        state["entered"] = state.get("entered", 0) + result["added"]
        ctx.done(f"Entered {result['added']}, {state['entered']} so far")
        return state


def count(rows):
    return "1 receipt" if len(rows) == 1 else f"{len(rows)} receipts"


def read_receipt(mail):
    found = AMOUNT.search(mail.get("text") or "")
    return {
        "date": mail["date"] or "",
        "from": mail["from_address"],
        "subject": mail["subject"],
        "amount": found.group(1).rstrip(".,") if found else "",
        "message": mail["message_id"],
    }
