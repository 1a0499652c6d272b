"""A page's way in: crawl, extract, filter, chunk, publish."""
