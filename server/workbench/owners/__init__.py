"""Owners: who looks after a topic or a section, and what waits for them."""
