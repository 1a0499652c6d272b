"""Typesense as the keyword engine, and by a setting as the vector engine; DuckDB stands in when it fails."""
