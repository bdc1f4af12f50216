"""The window: a frame with a navigation, and one file per page. Pages show values and give commands; no rules here."""
