"""Texts in the user's language: states, times, and translations of the engine's sentences."""
