"""The parts of the trace page."""
