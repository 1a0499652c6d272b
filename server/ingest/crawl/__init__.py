"""One site's walk in its parts: the queue and its store, the fetching, the judging, the reporting."""
