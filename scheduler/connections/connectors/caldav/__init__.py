"""Calendars: the connector, WebDAV and iCalendar."""
