"""Conversations in the console: conversations, what visitors said of answers, and what is kept of them."""
