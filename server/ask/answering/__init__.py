"""What an answer is made of: evidence, what is planted, how it is said, and how it is refused."""
