"""Worker processes that run scripts: starting, limiting, talking to and ending them. Knows nothing of the store."""
