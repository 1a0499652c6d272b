"""Make a merged writer's GGUF file small, by llama.cpp's own quantizer.

    .venv-llama-fast/bin/python -m scripts.training.quantize_gguf --gguf var/writer/run/merged-f16.gguf

writes `merged-q8_0.gguf` and `merged-q4_k_m.gguf` beside it, whole or not at all, and prints their sizes. The
environment is that of `make demo-llm`.
"""

from __future__ import annotations

import argparse
import ctypes
import os
from pathlib import Path

KINDS = {"q8_0": "LLAMA_FTYPE_MOSTLY_Q8_0", "q4_k_m": "LLAMA_FTYPE_MOSTLY_Q4_K_M"}


def main() -> None:
    """Quantize it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--kinds", nargs="+", choices=sorted(KINDS), default=list(KINDS))
    args = parser.parse_args()
    for kind in args.kinds:
        file = quantize(args.gguf, kind)
        print(f"{file}: {file.stat().st_size / 1e6:.0f} MB")


def quantize(gguf: Path, kind: str) -> Path:
    """The file of this kind beside the given one; a `ValueError` where it cannot be made."""
    import llama_cpp

    how = llama_cpp.llama_model_quantize_default_params()
    how.ftype, how.nthread = getattr(llama_cpp, KINDS[kind]), os.cpu_count() or 1
    file = gguf.with_name(f"{gguf.stem.removesuffix('-f16')}-{kind}.gguf")
    part = file.with_suffix(".part")
    if llama_cpp.llama_model_quantize(str(gguf).encode(), str(part).encode(), ctypes.byref(how)):
        part.unlink(missing_ok=True)
        raise ValueError(f"llama.cpp cannot quantize {gguf} as {kind}: what it printed above says why.")
    part.replace(file)
    return file


if __name__ == "__main__":
    main()
