"""The API behind the command line and the window: verbs with JSON values in and out, with or without a running app."""
