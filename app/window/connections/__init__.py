"""The Connections page and the dialog that connects an account."""
