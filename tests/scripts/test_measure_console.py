"""The table of how long the console takes has every page that there is."""

from __future__ import annotations

import re

from scripts.research.console.measure_console import CONSOLE, OVER_PAGES, PAGES


def test_every_page_of_the_console_is_measured() -> None:
    console = set(re.findall(r'st\.Page\("([^"]+)\.py"', CONSOLE.read_text(encoding="utf-8")))
    measured = {file for file, _ in PAGES.values()}
    assert len(console) > 20
    assert measured == console
    assert measured >= OVER_PAGES
    assert [file for file in measured if not (CONSOLE.parent / f"{file}.py").is_file()] == []
