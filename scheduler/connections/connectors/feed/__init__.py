"""Feeds: the connector, and the documents that it reads."""
