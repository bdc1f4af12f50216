"""The room that joins the others: ticks, starts work, answers commands."""
