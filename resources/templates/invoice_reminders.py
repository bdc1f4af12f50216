"""Invoice reminders: remind customers of unpaid invoices, each time after I approve it."""

# /// dayhand-template
# summary = "a polite email for each overdue invoice, sent only after you approve it"
# does = "Writes a reminder to each customer in {TABLE} whose invoice is 7, 21 and 42 days overdue."
# also.MAIL = "The emails are sent from {MAIL} and signed: {SIGNED}"
# asks = "You approve each email before it is sent."
# [ask.TABLE]
# question = "Table of invoices (columns: number, customer, mail, amount, due, paid)"
# kind = "file"
# required = true
# [ask.SIGNED]
# question = "Email signature"
# required = true
# [ask.AT]
# question = "Time"
# kind = "time"
# [ask.DAYS]
# question = "On these days"
# kind = "weekdays"
# [ask.MAIL]
# question = "Send from"
# kind = "account"
# connector = "smtp"
# missing = "Needs an email account to send from"
# [connect.INVOICES]
# path = "TABLE"
# ///
from datetime import date

import dayhand

SIGNED = "Yours"
AT = "08:00"
DAYS = ["mon", "tue", "wed", "thu", "fri"]
INVOICES = "table:invoices"
MAIL = "smtp:mail"
AFTER = (7, 21, 42)
"""Days after the due date for the first, second and last reminder."""

flow = dayhand.Workflow("Invoice reminders", connections=[INVOICES, MAIL])
overdue = flow.topic("overdue")


@flow.producer(
    calendar={"hour": int(AT[:2]), "minute": int(AT[3:]), "weekday": DAYS}, publishes=[overdue], catchup="one"
)
def check(ctx, state):
    """The id includes the reminder's number, so each one is written once, whatever you answered."""
    for row in ctx.call(INVOICES, "read", limit=10_000):
        level = level_of(row, ctx.now.date())
        if level:
            title = f"Invoice {row['number']} of {row['customer']}"
            ctx.publish(
                overdue, id=f"{row['number']} {level}", title=title, data={"number": row["number"], "level": level}
            )


@flow.consumer(subscribe=[overdue], approve="always")
class Remind:
    """One email per approval."""

    def prepare(self, ctx, state):
        batch = ctx.peek(overdue, limit=1000)
        rows = {str(row["number"]): row for row in ctx.call(INVOICES, "read", limit=10_000)}
        paid = [event for event in batch if not is_open(rows.get(str(event.data["number"])))]
        waiting = [event for event in batch if event not in paid]
        again = ctx.now if len(waiting) > 1 else None
        if not waiting:
            if paid:
                return dayhand.prepared(reserve=paid, data=None, say=f"{len(paid)} already paid")
            return dayhand.nothing()
        first = waiting[0]
        row = rows[str(first.data["number"])]
        which = "Last reminder" if first.data["level"] == len(AFTER) else "Reminder"
        mail = {
            "to": [row["mail"]],
            "subject": f"{which}: invoice {row['number']}",
            "text": write_mail(row, first.data["level"]),
        }
        return dayhand.prepared(
            reserve=[first, *paid],
            data={"mail": mail, "customer": row["customer"]},
            say=f"Remind {row['customer']} of invoice {row['number']} ({row['amount']}, due {row['due']})",
            ui={"To": row["mail"], "Reminder": f"{first.data['level']} of {len(AFTER)}"},
            wake_at=again,
        )

    def mutate(self, ctx, prepared):
        if prepared.data is not None:
            ctx.call(MAIL, "send", **prepared.data["mail"])

    def next(self, ctx, prepared, result, state):
        if prepared.data is None:
            return state
        if ctx.outcome == "skipped":
            ctx.done(f"{prepared.data['customer']} not reminded")
            return state
        state["sent"] = state.get("sent", 0) + 1
        ctx.done(f"Reminded {prepared.data['customer']}")
        return state


def is_open(row):
    return row is not None and str(row.get("paid") or "").strip().lower() in ("", "no", "0", "false")


def level_of(row, today):
    """The number of the reminder that is due; 0 for none."""
    if not is_open(row):
        return 0
    late = (today - date.fromisoformat(str(row["due"])[:10])).days
    return sum(late >= days for days in AFTER)


def write_mail(row, level):
    again = "" if level == 1 else f" This is reminder {level}."
    return (
        f"Dear {row['customer']},\n\nInvoice {row['number']} for {row['amount']} was due on {row['due']} "
        f"and we have not received your payment yet.{again}\n"
        f"If you have already paid, please ignore this email.\n\n{SIGNED}\n"
    )
