"""What pops up on the person's screen: when (policy), in which words, and through whom (one backend each)."""
