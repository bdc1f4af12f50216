"""A script tried: it runs, and what it would do outside is shown instead of done."""
