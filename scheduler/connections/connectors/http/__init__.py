"""Any web API: the connector, and its answers."""
