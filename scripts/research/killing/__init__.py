"""Kills each part of Lodge at random moments, and looks what is left (`scripts.research.kill_parts`)."""
