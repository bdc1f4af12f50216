"""The Today page: what needs attention, the day as a timeline, and recent activity."""
