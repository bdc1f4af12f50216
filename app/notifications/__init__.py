"""Desktop notifications: when to send them (policy), their content, and one backend per system."""
