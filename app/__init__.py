"""The faces of Dayhand: everything that knows Qt, and the command line."""
