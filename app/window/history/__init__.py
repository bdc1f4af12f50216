"""The History page, and one run in detail."""
