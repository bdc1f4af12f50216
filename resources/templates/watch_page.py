"""Watch page: notify me when something on a web page changes, such as a price."""

# /// dayhand-template
# summary = "a notification when a price or other text on a web page changes"
# [ask.PAGE]
# question = "Page, such as https://shop.example.org/lamps/7"
# kind = "address"
# required = true
# [ask.PATTERN]
# question = "Text to watch: a regular expression with parentheses around the part that changes"
# kind = "pattern"
# [ask.BELOW]
# question = "Notify me only at or below (0 = any change)"
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
def check(ctx, state):
    """Compares with the previous value; the first check only stores it."""
    value = find_value(ctx.call("http:page", "get", path=PAGE).get("text", ""))
    before = state.get("value")
    state["value"] = value
    if value != before:
        ctx.log(f"Value: {value}")
    if before is None or value == before or (BELOW and number_in(value) > BELOW):
        return state
    state["count"] = state.get("count", 0) + 1
    ctx.publish(changes, id=str(state["count"]), title=f"{before} → {value}")
    return state


@flow.consumer(subscribe=[changes], approve="never")
class Notify:
    def prepare(self, ctx, state):
        batch = ctx.peek(changes, limit=100)
        if not batch:
            return dayhand.nothing()
        return dayhand.prepared(reserve=batch, data=batch[-1].title, say=f"Notify you: {batch[-1].title}")

    def mutate(self, ctx, prepared):
        ctx.call("notify:me", "send", title="The page changed", text=f"{prepared.data} ({PAGE})")

    def next(self, ctx, prepared, result, state):
        ctx.done(prepared.data)


def find_value(text):
    found = re.search(PATTERN, text)
    if found is None:
        raise ValueError(f"Nothing on {PAGE} matches {PATTERN}; the page layout may have changed.")
    return " ".join((found.group(1) if found.groups() else found.group(0)).split())


def number_in(value):
    """12.50 for "€ 12,50"; infinity without a number."""
    found = re.search(r"\d[\d.,]*", value)
    if found is None:
        return float("inf")
    digits = found.group(0).rstrip(".,")
    whole, sign, rest = digits.replace(",", ".").rpartition(".")
    return float(
        f"{whole.replace('.', '')}.{rest}" if sign and len(rest) != 3 else digits.replace(",", "").replace(".", "")
    )
