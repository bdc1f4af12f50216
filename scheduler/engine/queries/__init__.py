"""Read-only queries on workflows, runs, requests and schedules; results are frozen dataclasses."""
