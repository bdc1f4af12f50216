"""Signing in through the person's own browser, and keeping the login fresh: OAuth 2.0 for native apps (RFC 8252)."""
