"""Evaluations in the console: runs of golden questions and of question sets, side by side."""
