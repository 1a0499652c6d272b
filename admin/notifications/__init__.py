"""Notifications in the console: what one is told of, where, and what became of it."""
