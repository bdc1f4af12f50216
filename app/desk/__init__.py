"""Every verb of the command line, once, with JSON values in and out: served by the app, or over the store alone."""
