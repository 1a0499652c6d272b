"""The HTML report of a run: one file that opens without a network, a script or anything beside it."""
