"""Exporting a model for the server: `source` → `findings` → `graph` → `card` → `comparing`, by `export`."""

import server.inference  # noqa: F401 - tells onnxruntime to report to nobody, before anything here imports it
