"""What is heard in a visitor's line before anything is searched."""
