"""Memory: SQLite, and nobody else writes SQL."""
