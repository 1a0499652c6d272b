"""Traces: passages as tables, replay, and why a page was not retrieved."""
