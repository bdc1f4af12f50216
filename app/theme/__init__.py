"""Colours, icons and the stylesheet. Knows no page."""
