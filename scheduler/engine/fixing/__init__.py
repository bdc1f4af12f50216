"""Repairs of scripts that failed: asked of a fixer, checked by us, shown to the person, never trusted."""
