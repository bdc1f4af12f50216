"""Decisions about runs. Pure: values in, values out."""
