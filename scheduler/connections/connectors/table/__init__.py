"""Tables: the connector, in files of text and in SQLite, each row once."""
