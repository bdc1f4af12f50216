"""How a request to the user looks and which answers it offers, in every part of the interface."""
