"""What a language model writes, and the check that holds it against the passages."""
