"""Conversations: found, read, exported, held, erased; feedback on their answers."""
