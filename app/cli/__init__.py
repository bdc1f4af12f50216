"""The commands of the command line: their arguments and printed answers. Imports neither Qt nor SQLite."""
