"""Visitors' questions sampled, labelled by people, and kept as golden questions."""
