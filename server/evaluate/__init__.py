"""Scoring strategies on a question set, and the bench."""
