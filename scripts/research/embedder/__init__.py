"""Teaching the embedder visitors' questions."""
