"""Kills each part of Lodge at random moments, and looks what is left: `python -m scripts.kill_parts`."""
