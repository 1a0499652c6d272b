"""Finding the passage: what each way of searching is worth, and what it is fitted to."""
