"""The Attention page."""
