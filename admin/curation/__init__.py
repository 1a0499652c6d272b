"""Curation in the console: what editors set for a site: drafted, tried, published."""
