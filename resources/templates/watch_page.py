"""Watch page: tell me when something on a web page changes, such as a price."""

# /// dayhand-template
# summary = "a notice when a price or another text on a web page changes"
# [ask.PAGE]
# question = "Which page, such as https://shop.example.org/lamps/7?"
# kind = "address"
# required = true
# [ask.PATTERN]
# question = "What to look for, as a regular expression with brackets around what changes?"
# kind = "pattern"
# [ask.BELOW]
# question = "Tell only at or below this price (0 tells every change)?"
# kind = "number"
# [connect."http:page"]
# base_url = "PAGE.site"
# ///
import re

import dayhand

PAGE = "https://example.org/"
PATTERN = r"<title>([^<]*)</title>"
BELOW = 0

flow = dayhand.Workflow("Watch page", connections=["http:page", "notify:me"])
changes = flow.topic("changes")


@flow.producer(every="1h", needs="network", publishes=[changes])
def look(ctx, state):
    """What it was before is remembered; the first look only remembers."""
    value = find_value(ctx.call("http:page", "get", path=PAGE).get("text", ""))
    before = state.get("value")
    state["value"] = value
    if value != before:
        ctx.log(f"It says {value}")
    if before is None or value == before or (BELOW and number_in(value) > BELOW):
        return state
    state["count"] = state.get("count", 0) + 1
    ctx.publish(changes, id=str(state["count"]), title=f"{before} → {value}")
    return state


@flow.consumer(subscribe=[changes], approve="never")
class Tell:
    def prepare(self, ctx, state):
        batch = ctx.peek(changes, limit=100)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(reserve=batch, data=batch[-1].title, say=f"Tell you: {batch[-1].title}")

    def mutate(self, ctx, prepared):
        ctx.call("notify:me", "send", title="The page changed", text=f"{prepared.data} ({PAGE})")

    def next(self, ctx, prepared, result, state):
        ctx.done(prepared.data)


def find_value(text):
    found = re.search(PATTERN, text)
    if found is None:
        raise ValueError(f"Nothing on {PAGE} looks like {PATTERN}; the page may have a new layout.")
    return " ".join((found.group(1) if found.groups() else found.group(0)).split())


def number_in(value):
    """12.50 of "€ 12,50"; no number is more than any."""
    found = re.search(r"\d[\d.,]*", value)
    if found is None:
        return float("inf")
    digits = found.group(0).rstrip(".,")
    whole, sign, rest = digits.replace(",", ".").rpartition(".")
    return float(
        f"{whole.replace('.', '')}.{rest}" if sign and len(rest) != 3 else digits.replace(",", "").replace(".", "")
    )
