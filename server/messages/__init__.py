"""Everything that Lodge says to a visitor, by language."""
