"""Belege: trägt neue Belege aus einem Ordner in eine Tabelle ein, wenn du zugestimmt hast."""

import dayhand

flow = dayhand.Workflow("Belege", connections=["files:belege", "table:ausgaben"], tags=["beispiel"])
belege = flow.topic("belege")


@flow.producer(every="1m", publishes=[belege])
def nachsehen(ctx, state):
    """Jede Minute: die Dateien lesen, die seit dem letzten Mal gekommen sind."""
    seen = state.get("seen", [])
    for file in ctx.call("files:belege", "list", pattern="*.txt"):
        if file["path"] in seen:
            continue
        text = ctx.call("files:belege", "read", path=file["path"])["text"]
        ctx.publish(belege, id=file["path"], title=text.splitlines()[0], data=read_receipt(file["path"], text))
        seen.append(file["path"])
    return {"seen": seen}


@flow.consumer(subscribe=[belege], approve="always")
class Eintragen:
    def prepare(self, ctx, state):
        """Die Zeilen zusammenstellen und sagen, was mit ihnen geschehen soll."""
        found = ctx.peek(belege, limit=20)
        if not found:
            return dayhand.nothing()
        rows = [event.data for event in found]
        total = write_amount(sum(read_amount(row["summe"]) for row in rows))
        say = f"{count(len(rows))} ({total} €) in die Ausgaben eintragen"
        return dayhand.prepared(reserve=found, data={"rows": rows}, say=say)

    def mutate(self, ctx, prepared):
        """Das Einzige, was außerhalb geschieht: nach deiner Zustimmung, und nie zweimal."""
        ctx.call("table:ausgaben", "append", rows=prepared.data["rows"])

    def next(self, ctx, prepared, result, state):
        number = len(prepared.data["rows"])
        if ctx.outcome == "skipped":
            ctx.done(f"{count(number)} ausgelassen, wie du wolltest")
            return state
        filed = state.get("filed", 0) + number
        ctx.done(f"{count(number)} eingetragen, bisher {filed}")
        return {"filed": filed}


def count(number):
    return "1 Beleg" if number == 1 else f"{number} Belege"


def read_receipt(name, text):
    """In der ersten Zeile steht der Laden; die anderen haben Namen, etwa `Summe: 12,50`."""
    lines = text.splitlines()
    facts = dict(line.lower().split(":", 1) for line in lines[1:] if ":" in line)
    return {
        "datei": name,
        "laden": lines[0].strip(),
        "datum": facts.get("datum", "").strip(),
        "summe": facts.get("summe", "0").strip(),
    }


def read_amount(text):
    return float(text.replace(".", "").replace(",", "."))


def write_amount(amount):
    return f"{amount:.2f}".replace(".", ",")
