"""A report in words, as text and as HTML."""
