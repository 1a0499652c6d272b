"""Marks tests that run real exports: with .venv-export's Python, by
`.venv-export/bin/python -m pytest --confcutdir tests/scripts tests/scripts`.
"""

from __future__ import annotations

import importlib.util

import pytest

from scripts.exporting.export import NEEDED

MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]

needs_exporting = pytest.mark.skipif(
    bool(MISSING), reason=f"exporting needs {', '.join(MISSING)}: run with .venv-export (docs/models.md)"
)
