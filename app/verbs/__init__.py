"""The verbs of the command line: what each takes, and how its answer reads. Loads neither Qt nor SQLite by itself."""
