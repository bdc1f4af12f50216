"""Files: the connector, and what it does to them."""
