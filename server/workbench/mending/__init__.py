"""From a wrong answer to its mending: what else was asked like it, and which passage should have answered."""
