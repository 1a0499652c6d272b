"""What `extract` is made of: which words of a passage are quoted, with what, and how sure that is."""
