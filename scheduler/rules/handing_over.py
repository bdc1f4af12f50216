"""Secrets that commands of jobs are given: allowed like a tool of their connection, though no script can call it."""

HAND_OVER = "hand_over"
"""The tool that a workflow must be allowed to use before its commands get the secret of a connection."""
