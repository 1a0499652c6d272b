"""Several servers behind a proxy, over the same records, counts and snapshots."""
