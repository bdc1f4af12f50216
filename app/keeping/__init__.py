"""What is kept beside the store: choices, logs, backups, and everything in one file."""
