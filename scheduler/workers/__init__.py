"""Worker processes: they run scripts; this room starts, limits, questions and ends them. It knows no secrets."""
