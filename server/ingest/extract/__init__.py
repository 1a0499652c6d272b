"""One page's extraction in its parts: charset, main content, hidden text, panels, tables, blocks, dates."""
