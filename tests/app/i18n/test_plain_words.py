"""Texts in the window use no internal terms."""

import re
from xml.etree import ElementTree as ET

from app.resources import find_resource

_INTERNAL_TERMS = re.compile(
    r"\b(backfill|checkpoint|consumer|cron|handler|lane|mutat\w+|occurrence|payload|phase|producer|reconcil\w+|slug"
    r"|topic|traceback|worker)s?\b",
    re.IGNORECASE,
)
_ALLOWED = {
    ("SchedulePicker", "Cron expression"),  # where the user types one
    # What the ntfy app calls it.
    ("connectors", "Topic"),
    ("connectors", "If the server asks for a login: one that may read and write both topics."),
    (
        "connectors",
        (
            "If the server asks for a login: one that may only write to the topic that ends in -answers. "
            "It is part of each message."
        ),
    ),
    ("channels", "To confirm, send the code that your authenticator app shows now to this topic."),
    ("history", "Handler"),  # in Details
    ("history", "Traceback"),
}


def test_no_text_uses_internal_terms() -> None:
    jargon = set()
    for context in ET.parse(find_resource("translations/dayhand_de.ts")).iter("context"):
        name = context.findtext("name", "")
        jargon |= {(name, one.text or "") for one in context.iter("source") if _INTERNAL_TERMS.search(one.text or "")}
    assert jargon == _ALLOWED
