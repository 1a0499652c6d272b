"""What visitors need and do not get: their open questions by meaning, and pages against questions."""
