"""HTTP: what visitor and workbench share of the web."""
