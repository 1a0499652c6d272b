"""Lists and lists of definitions, a line an item."""

from __future__ import annotations

import re

from lxml import etree

from server.ingest.extract.main_content import text_of
from server.ingest.extract.text_lines import flat

_LONGEST_ITEM = 1500
_BULLETS = "•▪■●◦‣⁃"
_TYPED = re.compile(rf"([{_BULLETS}·»›➤✓✔*–-])\s+(?=\S)")
_START = re.compile(r"\d{1,4}", re.ASCII)
STRUCTURE = ("h1", "h2", "h3", "h4", "h5", "h6", "table", "details", "button")


def is_plain(element: etree._Element, item_tags: tuple[str, ...]) -> bool:
    """Whether a list is one of short items and nothing else, not a frame around sections and tables."""
    stray = [element.text, *(child.tail for child in element)]
    if any(child.tag not in (*item_tags, "div") for child in element) or "".join(filter(None, stray)).strip():
        return False
    if next(element.iterdescendants(*STRUCTURE), None) is not None:
        return False
    return all(len(text_of(item)) <= _LONGEST_ITEM for item in element) and len(element) > 0


def is_definition_list(element: etree._Element) -> bool:
    """Whether a list has terms and meanings and nothing else."""
    has_terms, nested = element.find(".//dt") is not None, element.find(".//dl") is not None
    return has_terms and not nested and is_plain(element, ("dt", "dd"))


def list_text(element: etree._Element) -> str:
    """A line an item; an item that is nothing but a list is there to move it to the right."""
    lines = []
    numbers: dict[etree._Element, int] = {}
    waiting = [(element, item) for item in reversed(element)]
    while waiting:
        around, item = waiting.pop()
        numbers[around] = numbers.get(around, _before_first(around)) + (item.tag == "li")
        inner = next(item.iterchildren("ul", "ol"), None)
        if inner is not None and text_of(inner) == text_of(item):
            waiting += [(inner, one) for one in reversed(inner)]
        elif line := flat(item):
            is_step = around.tag == "ol" and item.tag == "li"
            lines.append(f"{numbers[around]}. {line}" if is_step else line)
    return "\n".join(lines)


def _before_first(element: etree._Element) -> int:
    """The number before the one that a list begins with."""
    start = _START.fullmatch(element.get("start", ""))
    return int(start[0]) - 1 if start else 0


def typed_list(text: str) -> tuple[str, str]:
    """Of a paragraph whose lines begin with bullets that somebody typed: the line above them, if there is
    one, and the items, a line each; both empty where it is no list."""
    lead, _, below = text.partition("\n")
    lines = text.split("\n") if _TYPED.match(text) else below.split("\n")
    marks = [found for line in lines if (found := _TYPED.match(line))]
    is_sure = len({mark[1] for mark in marks}) == 1 and (len(marks) > 1 or marks[0][1] in _BULLETS)
    if len(marks) < len(lines) or not is_sure:
        return "", ""
    items = "\n".join(line[mark.end() :] for line, mark in zip(lines, marks, strict=True))
    return "" if _TYPED.match(text) else lead, items


def definitions(element: etree._Element) -> list[str]:
    """`term: definition` for each term; terms in a row share a definition, and definitions a term."""
    entries: list[tuple[list[str], list[str]]] = []
    after: str | None = None
    for item in element.iterdescendants("dt", "dd"):
        if not entries or (item.tag == "dt" and after == "dd"):
            entries.append(([], []))
        # An item that was never closed holds those after it.
        entries[-1][item.tag == "dd"].append(flat(item, without=("dt", "dd")))
        after = str(item.tag)
    return [line for terms, meanings in entries if (line := _definition(terms, meanings))]


def _definition(terms: list[str], meanings: list[str]) -> str:
    """One line of a definition list; a term whose meanings are all empty says nothing."""
    term = ", ".join(name.rstrip(":") for name in terms if name)
    meaning = "; ".join(filter(None, meanings))
    if meanings and not meaning:
        return ""
    return f"{term}: {meaning}" if term and meaning else term or meaning
