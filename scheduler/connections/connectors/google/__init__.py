"""Google: the connector, and what it does in each service."""
