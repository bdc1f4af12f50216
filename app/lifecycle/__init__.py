"""The desktop app from start to quit: tray icon, window, notifications, shutdown."""
