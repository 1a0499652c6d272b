"""Coverage in the console: what visitors ask, and what the pages hold of it."""
