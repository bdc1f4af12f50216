"""The icon in the tray, and its menu."""
