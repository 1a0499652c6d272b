"""Lines that visitors type, with the way of going on that helps best (README.md)."""
