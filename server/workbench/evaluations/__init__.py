"""Evaluations: the kept runs of `lodge eval`, side by side."""
