"""Training the reader: `sources` → `mining` → `batches` → `training` → `calibration` → `exporting`.

The reader is one small cross-encoder that ranks passages and marks the answer in them. What it learns from,
and how, is told here; `scripts/research/reader/train_reader.py` runs it. PyTorch is needed here and nowhere
else in Lodge.
"""
