"""Tests: they mirror server/ file for file."""
