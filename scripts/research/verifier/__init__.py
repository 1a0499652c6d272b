"""The model that verifies a quoted answer: what it learns from, its training, and how it is weighed."""
