"""Text from scripts and tools, made ready to stand beside our own sentences."""

from scheduler.user_text import UserText

_SENTENCE_ENDS = (".", "!", "?", "…")


def add_full_stop(text: str) -> str:
    """Add a full stop unless the text already ends a sentence."""
    text = text if isinstance(text, UserText) else text.rstrip()
    return text if not text or text.endswith(_SENTENCE_ENDS) else UserText("{text}.", text=text)
