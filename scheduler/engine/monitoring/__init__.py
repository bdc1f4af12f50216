"""What others learn about Dayhand and its runs, and what is not as expected."""
