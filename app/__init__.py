"""The user interfaces of Dayhand: the Qt app and the command line."""
