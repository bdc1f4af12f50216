"""The dialog that imports jobs of cron, systemd and the Windows Task Scheduler."""
