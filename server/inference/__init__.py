"""Models that ship as ONNX files; no PyTorch."""

import os

# Before onnxruntime is imported: it reports how it is used to its maker, unless it is told not to.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
