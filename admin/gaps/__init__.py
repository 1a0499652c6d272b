"""Gaps in the console: what visitors asked and did not get."""
