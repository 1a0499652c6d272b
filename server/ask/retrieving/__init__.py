"""What a search is made of: two rankings fused, names, where to search, how a passage is judged."""
