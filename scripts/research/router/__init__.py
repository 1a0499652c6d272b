"""The router, which says how a visitor's line is best gone on with: network, examples, training."""
