"""The gaps between words that a style sheet makes, and text alone would lose.

"Monday" and "8am–5pm" in a span each stand apart on the screen, and would be read as "Monday8am–5pm".
"""

from __future__ import annotations

import re

from lxml import etree

# What is often set apart by a style; within a word stand others ("1<sup>st</sup>").
_APART = frozenset({"span", "b", "strong", "label", "time", "a", "button"})
_BETWEEN = _APART | {"i", "em", "img", "small"}
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_MONEY, _MARKS = "$€£", ":;!?)"


def space_out(root: etree._Element) -> None:
    """Put a space, in place, between texts of inline elements that are no parts of one word."""
    last, crossed = "", set[str]()
    for event, element in etree.iterwalk(root, events=("start", "end")):
        crossed.add(str(element.tag))
        text = element.text if event == "start" else element.tail
        if not text:
            continue
        if crossed <= _BETWEEN and crossed & _APART and _are_apart(last, text):
            text = f" {text}"
            if event == "start":
                element.text = text
            else:
                element.tail = text
        last, crossed = f"{last}{text}"[-2:], set()


def _are_apart(before: str, text: str) -> bool:
    """Whether a word ends with these last two characters, and another begins with that text."""
    last, first = before[-1:], text[0]
    if last.isdigit():
        return first.isalpha() and not _ORDINAL.match(text)
    if last.isalpha():
        return first.isdigit() or first in _MONEY or (last.islower() and first.isupper())
    is_time = before[:1].isdigit() and first.isdigit() and last == ":"
    return last != "" and last in _MARKS and first.isalnum() and not is_time
