"""An immutable snapshot, and the searches over it."""
