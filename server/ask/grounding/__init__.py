"""The parts of the check: facts, their surroundings, negation, support, citation marks, the stream."""
