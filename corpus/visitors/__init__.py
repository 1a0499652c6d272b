"""Questions and lines as visitors write them, and the pages that answer them."""
