"""Repairs of failed scripts: requested from a fixer, checked, shown to the user, never trusted."""
