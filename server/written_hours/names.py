"""Names of places in titles, headings and labels that speak of their hours."""

from __future__ import annotations

import re

from server.lexicons import lexicon

_WORDS = lexicon("hours")
GENERIC = _WORDS.pattern("generic", r"\W*(?:{})\W*")
_HOURS_WORDS = re.compile(
    r"\b(?:(?:opening|operating|business|office) )?hours?"
    r"(?: (?:of operation|(?:and|&) (?:locations?|directions|contacts?)))?\b"
    r"|\b(?:locations? )?(?:and|&) hours\b|\bhorarios?\b(?: de)?",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\(\s*\)")
_NAME_PARTS = re.compile(r"\s*(?:[|•·»]|\s[-–—]\s|:(?=\s))\s*")
_MAIN_PART = _WORDS.pattern("main_parts", r"\W*(?:the )?(?:{})\W*")
_OFFICE = _WORDS.pattern("offices", r"(?<!\w)(?:{})(?!\w)")


def bare_name(text: str) -> str:
    """A title or label as a place's name: "Library hours" is the library; "" where it names hours alone."""
    for part in _NAME_PARTS.split(text):
        if GENERIC.fullmatch(part) is None:
            name = _EMPTY.sub(" ", _HOURS_WORDS.sub(" ", part)).strip(" ,.:;&–—-")
            if name and GENERIC.fullmatch(name) is None:
                return " ".join(name.split())
    return ""


def is_main_part(name: str) -> bool:
    """Whether a part stands for the whole place: "Building, weights, courts"."""
    return _MAIN_PART.fullmatch(re.split(r"[,(/]", name)[0]) is not None


def is_office(text: str) -> bool:
    """Whether a text names an office."""
    return _OFFICE.search(text) is not None
