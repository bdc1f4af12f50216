"""Text from scripts and tools, prepared for use next to our own sentences."""

_SENTENCE_ENDS = (".", "!", "?", "…")


def add_full_stop(text: str) -> str:
    """Add a full stop unless the text already ends a sentence."""
    text = text.rstrip()
    return text if not text or text.endswith(_SENTENCE_ENDS) else f"{text}."
