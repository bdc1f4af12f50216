"""Slack: the connector, and how its server is asked."""
