"""Mail: the connectors for IMAP and SMTP, and what both speak, read and write."""
