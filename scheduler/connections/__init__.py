"""Connections: what scripts reach the outside through. The only room that sees a secret; it knows no runs."""
