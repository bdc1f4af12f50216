"""The local socket through which the command line talks to the running app. Only this user can open it."""
