"""One life of the app with a face, from the icon that comes first to the quit that waits for what is under way."""
