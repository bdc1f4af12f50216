"""When schedules run. Pure: no I/O, no clock, no state between calls; knows nothing of workflows."""
