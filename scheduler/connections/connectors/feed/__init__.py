"""News feeds: the connector, and its parser."""
