"""Telegram: the connector, and its channel to one chat with a bot."""
