"""A small home of Lodge's own to kill in: the college of the tests, its snapshot live."""

from __future__ import annotations

import shutil
import socket
from dataclasses import replace
from pathlib import Path

from server.settings import Settings
from tests import small_site


def small_home(folder: Path, ready: Path | None = None) -> Settings:
    """Settings of a home in `folder`; its snapshots are a copy of those in `ready`, or are built now."""
    settings = replace(small_site.settings_for(folder / "home"), reranker="")
    if settings.snapshots_dir.exists():
        return settings
    if ready is not None:
        shutil.copytree(ready, settings.snapshots_dir, symlinks=True)
    else:
        small_site.index_pages(settings, small_site.kept_pages())
    return settings


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
