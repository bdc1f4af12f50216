"""What people read in the window is said without the words of those who build it."""

import re
from xml.etree import ElementTree as ET

from app.resources import find_resource

_INSIDE = re.compile(
    r"\b(backfill|checkpoint|consumer|cron|handler|lane|mutat\w+|occurrence|payload|phase|producer|reconcil\w+|slug"
    r"|topic|traceback|worker)s?\b",
    re.IGNORECASE,
)
_ALLOWED = {
    ("SchedulePicker", "Cron text"),  # where one types it
    ("history", "Handler"),  # behind Details
    ("history", "Traceback"),
}


def test_no_page_speaks_of_what_is_inside() -> None:
    found = set()
    for context in ET.parse(find_resource("translations/dayhand_de.ts")).iter("context"):
        name = context.findtext("name", "")
        found |= {(name, one.text or "") for one in context.iter("source") if _INSIDE.search(one.text or "")}
    assert found == _ALLOWED
