"""Files beside the store: preferences, logs, backups, exports and diagnostics."""
