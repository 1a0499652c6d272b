"""What the fuzzing scripts share: a real server to throw things at, and odd inputs to throw."""
