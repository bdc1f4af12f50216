"""Calendars on CalDAV servers: the connector, its requests, and iCalendar."""
