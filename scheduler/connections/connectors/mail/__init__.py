"""Mail: the IMAP and SMTP connectors, their protocols, and reading and composing mail."""
