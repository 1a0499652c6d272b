"""One page's extraction in its parts: charset, main content, panels, islands, tables, blocks, dates."""
