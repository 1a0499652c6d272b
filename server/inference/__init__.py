"""Models that ship as ONNX files; no PyTorch."""
