"""Exporting a model for the server: `source` → `findings` → `graph` → `card` → `comparing`, by `export`."""
