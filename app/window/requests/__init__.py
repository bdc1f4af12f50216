"""Open requests, grouped: rows, cards and tables that Today and Attention share."""
