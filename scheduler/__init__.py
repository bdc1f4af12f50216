"""Dayhand without a face: schedules, runs and their memory. Nothing below here knows Qt."""

__version__ = "0.1.0"
