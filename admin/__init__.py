"""The console: looks after the answers, through the admin API alone."""
