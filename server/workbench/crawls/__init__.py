"""Crawls: what the last one did; started, stopped and scheduled."""
