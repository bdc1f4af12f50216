"""Dry runs: executes a script and shows its outside actions instead of making them."""
