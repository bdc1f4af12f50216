"""Google: the connector, and its mail, calendar and file tools."""
