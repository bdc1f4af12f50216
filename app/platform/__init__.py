"""What differs from one operating system to the next."""
