"""One file per kind of connection that comes with the app, and what it stands on."""
