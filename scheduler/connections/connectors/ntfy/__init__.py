"""ntfy: the connector, and its channel to a topic of any server."""
