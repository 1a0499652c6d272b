"""Golden in the console: questions that must stay answered rightly."""
