"""Channels to the user away from the desk: their rules, what was sent, and the answers that come back."""
