"""The welcome dialog of the first start."""
