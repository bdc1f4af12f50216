"""Sentences that come from elsewhere, made fit to stand beside others."""

_ENDS = (".", "!", "?", "…")


def finish(text: str) -> str:
    """With a full stop, unless it has an end of its own."""
    text = text.rstrip()
    return text if not text or text.endswith(_ENDS) else f"{text}."
