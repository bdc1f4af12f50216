"""The SQLite store. No other package writes SQL."""
