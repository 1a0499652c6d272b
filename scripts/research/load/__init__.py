"""Load on a running server as visitors bring it: capacity, more than that, and for long."""
