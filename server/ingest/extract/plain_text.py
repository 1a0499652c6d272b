"""A page that is nothing but text: one-line headings, paragraphs, and the tables that are typed in it."""

from __future__ import annotations

import re
from itertools import pairwise

from server.ingest.extract import tables
from server.ingest.extract.typed_tables import text_parts
from server.models import Block, Section

_RULE = re.compile(r"[\s=_*~.+#-]*")
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")
_COLUMNS = re.compile(r"[^\S\n]{2,}|\t")


def sections_of_text(text: str) -> tuple[Section, ...]:
    """The sections of a text, each under a one-line heading or none; a table is one below its caption."""
    sections: list[Section] = []
    heading: tuple[str, ...] = ()
    for part in text_parts(text):
        if part.grid:
            rows = tuple(Block("table", row.text) for row in tables.rows(part.grid))
            sections.append(Section((*heading, part.caption) if part.caption else heading, rows))
        else:
            found = _sections_of_lines("\n".join(part.lines), heading)
            sections += found
            heading = found[-1].heading_path if found else heading
    return tuple(sections)


def _sections_of_lines(text: str, heading: tuple[str, ...]) -> list[Section]:
    """Those of lines that are no table; the first has the heading that is above them."""
    sections: list[Section] = []
    blocks: list[Block] = []
    for part in _BLANK_LINES.split(text):
        lines = [line for raw in part.split("\n") if (line := _tidy(raw))]
        if _begins_with_heading(lines):
            if blocks:
                sections.append(Section(heading, tuple(blocks)))
            heading, blocks, lines = (lines[0].rstrip(":"),), [], lines[1:]
        if lines:
            blocks.append(Block("paragraph", _unwrap(lines)))
    if blocks:
        sections.append(Section(heading, tuple(blocks)))
    return sections


def _tidy(line: str) -> str:
    """A line with its columns kept apart; a ruled line is nothing."""
    return "" if _RULE.fullmatch(line) else " ".join(_COLUMNS.sub("  ", line.strip()).split(" "))


def _begins_with_heading(lines: list[str]) -> bool:
    """A short line after a blank one, without a full stop, with a sentence right below it."""
    if len(lines) < 2 or len(lines[0]) > 80 or not 1 < len(lines[0].split()) <= 12:
        return False
    first, below = lines[0], lines[1]
    names_something = (first[0].isupper() or first[0].isdigit()) and first[-1] not in ".,;!)"
    return names_something and "  " not in first and _is_prose(below)


def _is_prose(line: str) -> bool:
    return len(line.split()) >= 8 and line[0].isupper() and "  " not in line


def _unwrap(lines: list[str]) -> str:
    """Lines that were only wrapped at a margin joined again; lines that stand alone left as they are."""
    text = lines[0]
    for before, line in pairwise(lines):
        wrapped = len(before) >= 50 and before[-1] not in ".:;!?" and line[0].islower()
        text += (" " if wrapped else "\n") + line
    return text
