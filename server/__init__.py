"""Lodge: a crawler, an index and a light server that answers from a university's own pages."""
