"""Snapshots in the console: which there are, what differs, which is live."""
