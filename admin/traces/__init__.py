"""Traces in the console: the trace of one answer, and the same question asked otherwise."""
