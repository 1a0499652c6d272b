"""The training road: what a language model learns from, and the questions that one writes on pages.

Nothing here needs PyTorch; `scripts/training/` has what does, in an environment of its own
(docs/training.md).
"""
