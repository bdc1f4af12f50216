"""Receipts: add new receipts in a folder to a table, after you approve."""

import dayhand

flow = dayhand.Workflow("Receipts", connections=["files:receipts", "table:expenses"], tags=["sample"])
receipts = flow.topic("receipts")


@flow.producer(every="1m", publishes=[receipts])
def check(ctx, state):
    """Every minute: read the files that are new since the last run."""
    seen = state.get("seen", [])
    for file in ctx.call("files:receipts", "list", pattern="*.txt"):
        if file["path"] in seen:
            continue
        text = ctx.call("files:receipts", "read", path=file["path"])["text"]
        ctx.publish(receipts, id=file["path"], title=text.splitlines()[0], data=read_receipt(file["path"], text))
        seen.append(file["path"])
    return {"seen": seen}


@flow.consumer(subscribe=[receipts], approve="always")
class AddToExpenses:
    def prepare(self, ctx, state):
        """Work out the rows, and say what will be done with them."""
        found = ctx.peek(receipts, limit=20)
        if not found:
            return dayhand.nothing()
        rows = [event.data for event in found]
        total = sum(row["total"] for row in rows)
        receipts_word = "receipt" if len(rows) == 1 else "receipts"
        return dayhand.prepared(
            reserve=found, data={"rows": rows}, say=f"Add {len(rows)} {receipts_word} ({total:.2f}) to Expenses"
        )

    def mutate(self, ctx, prepared):
        """The one outside action: it happens after you approve, and never twice."""
        ctx.call("table:expenses", "append", rows=prepared.data["rows"])

    def next(self, ctx, prepared, result, state):
        number = len(prepared.data["rows"])
        if ctx.outcome == "skipped":
            ctx.done(f"Skipped {number}, as you chose")
            return state
        filed = state.get("filed", 0) + number
        ctx.done(f"Filed {number} {'receipt' if number == 1 else 'receipts'}, {filed} so far")
        return {"filed": filed}


def read_receipt(name, text):
    """The first line is the shop; the others have names, such as `Total: 12.50`."""
    lines = text.splitlines()
    facts = dict(line.lower().split(":", 1) for line in lines[1:] if ":" in line)
    return {
        "file": name,
        "shop": lines[0].strip(),
        "date": facts.get("date", "").strip(),
        "total": float(facts.get("total", "0").strip()),
    }
