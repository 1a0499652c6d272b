"""The parts of the pages on golden questions."""
