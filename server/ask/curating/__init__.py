"""Whether a question asks what an editor has answered."""
