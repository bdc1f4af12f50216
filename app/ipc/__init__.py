"""The local channel between the command line and the running app. Only this user can open it."""
