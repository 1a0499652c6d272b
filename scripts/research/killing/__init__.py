"""Kills each part of Lodge at random moments, and looks what is left (kill_parts.py)."""
