"""Workflows as people handle them: deployed, started, paused, answered, removed."""
