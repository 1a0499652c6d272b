"""Debian's packages, got with apt-get where there is one and we are root."""

from __future__ import annotations

import os
import shutil
import subprocess


def can_install() -> bool:
    """Whether `install` would try."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def install(*packages: str, recommended: bool = False) -> None:
    """Try to install these, quietly, and start no server among them; whoever needs them looks afterwards.

    `recommended` are the packages that they recommend, too.
    """
    subprocess.run(["apt-get", "update", "-qq"], check=False)
    command = ["apt-get", "install", "-y", "-qq", *([] if recommended else ["--no-install-recommends"])]
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    subprocess.run([*command, *packages], check=False, stdout=subprocess.DEVNULL, env=environment)
