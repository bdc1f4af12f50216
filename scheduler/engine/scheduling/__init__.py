"""Turns schedules into started runs: tick, emission, dispatch, backfills and commands on schedules."""
