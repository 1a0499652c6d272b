"""Curation: editors' answers, notices and query rules, and the preview of a draft."""
