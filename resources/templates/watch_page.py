"""Watch page: notify me when something on a web page changes, such as a price."""

# /// dayhand-template
# summary = "a notification when a price or other text on a web page changes"
# does = "Reads {PAGE} and shows a notification when this text changes: {WATCHED}"
# also.BELOW = "You are told only while the price is {BELOW} or less."
# [ask.PAGE]
# question = "Page, such as https://shop.example.org/lamps/7"
# kind = "address"
# required = true
# [ask.WATCHED]
# question = "Text or price to watch"
# kind = "page text"
# page = "PAGE"
# required = true
# [ask.BELOW]
# question = "Notify me only at or below (0 = any change)"
# kind = "amount"
# [connect.SITE]
# base_url = "PAGE.site"
# ///
import dayhand
from dayhand import page_text

SITE = "http:page"
PAGE = "https://example.org/"
WATCHED = {}
"""How to find the text on the page, as dayhand.page_text remembers it."""
BELOW = 0

PATIENT_ATTEMPTS = 4
"""A busy page is tried that often, within half an hour, before you are told."""

flow = dayhand.Workflow("Watch page", connections=[SITE, "notify:me"])
changes = flow.topic("changes")


@flow.producer(every="1h", needs="network", publishes=[changes])
def check(ctx, state):
    """Compares with the previous value; the first check, also after other answers, only tells a low price."""
    if state.get("watched") != [PAGE, WATCHED]:
        state = {"watched": [PAGE, WATCHED], "count": state.get("count", 0)}
    fail_on = "temporary" if ctx.attempt <= PATIENT_ATTEMPTS else "nothing"
    page = ctx.call(SITE, "get", path=PAGE, headers=page_text.HEADERS, fail_on=fail_on)
    if "error" in page:
        ctx.problem(describe_error(page))
        return state
    block = page_text.find_block(page_text.read_html(page) or "", WATCHED)
    if block is None:
        ctx.problem("The watched text is no longer on the page. Choose it again: Change answers…")
        return state
    before, value = state.get("value"), block.text
    if BELOW and read_price(value) is None:
        ctx.problem(f"The price can no longer be read; the page now says: {value}")
        return state
    ctx.problem(None)
    if value == before:
        return state
    ctx.log(f"Value: {value}")
    if BELOW:
        if read_price(value) <= BELOW:
            publish(ctx, state, f"{before} → {value}" if before else value)
    elif before is not None:
        publish(ctx, state, f"{before} → {value}")
    return {**state, "value": value}


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


def describe_error(page):
    status = page["status"]
    if status in (404, 410):
        return f"The page {PAGE} is gone ({status}). If it has moved, enter its new address: Change answers…"
    if status == 401:
        return f"The page {PAGE} can now be read only after signing in (401)."
    if status == 403:
        return f"The website does not let programs read the page {PAGE} (403)."
    return f"The page {PAGE} cannot be read: {page['error']}"


def publish(ctx, state, title):
    state["count"] += 1
    ctx.publish(changes, id=str(state["count"]), title=title)


def read_price(value):
    """None without a number, or without a currency if the watched price had one: "back in 3 days" is no price."""
    if page_text.is_price(WATCHED.get("text", "")) and not page_text.is_price(value):
        return None
    return page_text.read_number(value)
