"""Joins store, workers and connections: ticks, starts work, carries out commands."""
