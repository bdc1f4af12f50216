"""Sends what needs the user to their phone or mailbox, by the rules of each channel, and takes their answers."""
