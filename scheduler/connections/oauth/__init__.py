"""OAuth 2.0 for native apps (RFC 8252): signing in through the user's browser and refreshing tokens."""
