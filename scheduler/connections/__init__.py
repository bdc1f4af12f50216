"""Connections to accounts, servers and files. The only package that sees secrets; it knows nothing of runs."""
