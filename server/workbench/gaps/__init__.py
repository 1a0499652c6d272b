"""Content gaps: questions of one meaning that were not answered well."""
