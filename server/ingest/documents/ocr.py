"""Text in a picture, where tesseract (https://github.com/tesseract-ocr/tesseract) is installed."""

from __future__ import annotations

import io
import shutil
import subprocess
from typing import Any

DPI = 200
SECONDS = 30


def text_in_picture(page: Any) -> str:
    """The text of a pdfplumber page that is only a picture; nothing without tesseract, or where it fails."""
    program = shutil.which("tesseract")
    if program is None:
        return ""
    picture = io.BytesIO()
    page.to_image(resolution=DPI).original.save(picture, format="PNG")
    try:
        done = subprocess.run(  # noqa: S603  (a program found on the path, and no argument of another's)
            [program, "stdin", "stdout", "--dpi", str(DPI)],
            input=picture.getvalue(),
            capture_output=True,
            timeout=SECONDS,
            check=True,
        )
    except (subprocess.SubprocessError, OSError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip()
