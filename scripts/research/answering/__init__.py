"""The answer that is quoted: confidence, tables, hours, documents, links, and what readers made of it."""
