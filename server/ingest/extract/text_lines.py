"""The text of a page's elements as lines, or as one: where it breaks, and what stands in a break's place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml import etree

BLOCK_TAGS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "details", "div", "fieldset"}
    | {"figcaption", "figure", "footer", "form", "header", "hr", "legend", "main", "p", "pre", "section"}
    | {"caption", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr"}
    | {"dd", "dir", "dl", "dt", "li", "menu", "ol", "ul"}
)
_SPACE = re.compile(r"[^\S\n]+")
_ADDRESS = re.compile(r"\S+@\S|(?:https?://|www\.)\S", re.IGNORECASE)
_LABEL_WORDS, _SENTENCE_WORDS = 4, 6  # a label, and what is told below it
_SENTENCE = re.compile(r"[.!?](?:\s|$)")


def flat(element: etree._Element, without: tuple[str, ...] = ()) -> str:
    """All of an element as one line; where a line broke, a comma stands unless there was a mark already, or a
    colon behind a label at its beginning: "PICKUP: You will be notified by mail."

    Elements within it that have one of the tags in `without` are passed over.
    """
    lines = lines_in(element, without)
    if len(lines) > 1 and _is_label(lines[0], lines[1]):
        lines[0] += ":"
    ends = [line if line[-1] in ".,;:!?–—" else line + "," for line in lines[:-1]]
    return " ".join([*ends, *lines[-1:]])


def lines_in(element: etree._Element, without: tuple[str, ...] = ()) -> list[str]:
    """The lines of all of an element, none of them empty, less what is in elements with one of these tags."""
    pieces: list[str] = [""]
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        if inner.tag in BLOCK_TAGS or inner.tag == "br":
            pieces.append("")
        if event == "end":
            pieces[-1] += "" if inner is element else inner.tail or ""
        elif inner.tag in without and inner is not element:
            walk.skip_subtree()
        else:
            pieces[-1] += inner.text or ""
    return [line for piece in pieces if (line := " ".join(piece.split()))]


def _is_label(line: str, below: str) -> bool:
    """Whether a first line names what the sentences below it tell."""
    words = below.split()
    tells = below[0].isupper() and len(words) >= _SENTENCE_WORDS and _SENTENCE.search(below) is not None
    return tells and line[-1].isalpha() and len(line.split()) <= _LABEL_WORDS and not _ADDRESS.search(line)


def paragraphs(text: str) -> list[str]:
    """Paragraphs of inline text, in which a line break is a zero character: two of them part paragraphs."""
    found = []
    for part in re.split(r"\0\s*\0[\s\0]*", text):
        lines = [line for piece in part.split("\0") if (line := " ".join(piece.split()))]
        found.append(_join_wrapped(lines))
    return [text for text in found if text]


def _join_wrapped(lines: list[str]) -> str:
    """Lines, joined where a break only wraps a sentence."""
    text = ""
    for line in lines:
        wrapped = text and text[-1] not in ".!?:;" and line[0].islower() and not _ADDRESS.match(line)
        text += ("" if not text else " " if wrapped else "\n") + line
    return text


def tidied_lines(lines: Sequence[str]) -> str:
    """Lines below each other, none of them empty, each with single spaces."""
    return "\n".join(line for raw in lines if (line := _SPACE.sub(" ", raw).strip()))
