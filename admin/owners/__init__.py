"""Owners in the console: who looks after what, and what waits for one of them."""
