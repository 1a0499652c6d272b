"""Larkmoor University: a fictional university web site."""
