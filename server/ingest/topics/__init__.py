"""Which topic a page belongs to, and the small classifiers that guess a question's topic from its vector."""
