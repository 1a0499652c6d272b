"""A question's way: guard, rewrite, retrieve, answer, trace."""
