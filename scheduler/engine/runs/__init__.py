"""Runs: what a handler does when its turn has come, written down step by step so that nothing is done twice."""
