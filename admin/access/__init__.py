"""Access in the console: who changed what."""
