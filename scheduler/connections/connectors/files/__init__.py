"""Files in one folder: the connector, its actions and their checkers."""
