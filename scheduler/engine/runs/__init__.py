"""Runs: executes handlers step by step, each step stored, so that no outside action happens twice."""
