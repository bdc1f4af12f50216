"""Tables in CSV and SQLite files: the connector, and appending exactly once."""
