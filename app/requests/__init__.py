"""How a request to the user looks and which answers it offers, on every face of the app."""
