"""Crawls in the console: what the last crawl did; starting, stopping, scheduling one."""
