"""What people read: states, times and the engine's own sentences, in the person's language."""
