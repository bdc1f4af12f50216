"""Slack: the connector, and requests to its server."""
