"""Mailed receipts: add receipts from my inbox to a table, after I approve them."""

# /// dayhand-template
# summary = "adds receipts from your inbox to a table, after you approve them"
# does = "Reads new emails in {INBOX} with \"{SUBJECT}\" in the subject and adds date, sender and amount to {TABLE}."
# asks = "You approve the rows before they are added."
# [ask.INBOX]
# question = "Inbox"
# kind = "account"
# connector = "imap"
# missing = "Needs an email account to read"
# [ask.TABLE]
# question = "Table (a .csv or .sqlite file)"
# kind = "file"
# required = true
# [ask.SUBJECT]
# question = "Word in the subject line"
# [connect.EXPENSES]
# path = "TABLE"
# ///
import re

import dayhand

INBOX = "imap:home"
EXPENSES = "table:expenses"
SUBJECT = "receipt"
MAX_MAILS = 10
AMOUNT = re.compile(r"(?:total|amount|sum)\D{0,20}?(\d[\d.,]*)", re.IGNORECASE)

flow = dayhand.Workflow("Mailed receipts", connections=[INBOX, EXPENSES])
mails = flow.topic("mails")


@flow.producer(every="10m", needs="network", publishes=[mails])
def check(ctx, state):
    found = ctx.call(INBOX, "search", subject=SUBJECT, after_uid=state.get("uid", 0))
    for mail in found:
        ctx.publish(mails, id=mail["message_id"], title=mail["subject"], data={"uid": mail["uid"]})
        state["uid"] = max(state.get("uid", 0), mail["uid"])
    return state


@flow.consumer(subscribe=[mails], approve="always")
class Enter:
    def prepare(self, ctx, state):
        batch = ctx.peek(mails, limit=MAX_MAILS)
        if not batch:
            return dayhand.nothing()
        rows = [read_receipt(ctx.call(INBOX, "fetch", uid=event.data["uid"])) for event in batch]
        unclear = sum(row["amount"] == "" for row in rows)
        return dayhand.prepared(
            reserve=batch,
            data=rows,
            say=f"Add {count(rows)}{f', {unclear} without an amount' if unclear else ''}",
            ui={f"{n}. {row['subject']}": row["amount"] or "no amount found" for n, row in enumerate(rows, 1)},
            wake_at=ctx.now if len(batch) == MAX_MAILS else None,
        )

    def mutate(self, ctx, prepared):
        ctx.call(EXPENSES, "append", rows=prepared.data)

    def next(self, ctx, prepared, result, state):
        if ctx.outcome == "skipped":
            ctx.done(f"{count(prepared.data)} skipped")
            return state
        state["entered"] = state.get("entered", 0) + result["added"]
        ctx.done(f"Added {result['added']}, {state['entered']} so far")
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
