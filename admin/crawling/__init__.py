"""The parts of the page *Crawl*."""
