"""Any web API: the connector, and how its responses are read."""
