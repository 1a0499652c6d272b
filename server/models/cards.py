"""Whom to reach, and how: "Advising Center, Quarry Hall 140, (802) 555-0122", or a row of a table."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from server.sentences import sentences

PHONE = re.compile(r"(?<![\w$+/.-])(?:\+?1[ .-])?\(?\d{3}\)?[ .-]?\d{3}[ .-]\d{4}(?![\w/-])")
EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}", re.IGNORECASE)

# A part of a card is as short as a name, a room, hours.
MOST_PART_CHARS, LEAST_PARTS = 70, 3
_SEPARATOR = re.compile(r"(?:,|;| ·| \|)\s+")
_REACH = re.compile(rf"({PHONE.pattern}|{EMAIL.pattern})", re.IGNORECASE)
_LABEL = re.compile(r"(?P<label>[^:]{2,45}):\s+(?P<value>\S.*)")
# Every word of a name begins with a capital or a digit, but the small ones: "Office of the President".
_WORD = r"(?:[^\W\d_a-z][\w.'’()&-]*|\d\w*|&|a[nt]d?|de[l]?|for|i?n|la|of|on|the|to|y)"
_NAME = re.compile(rf"{_WORD}(?:\s+{_WORD})*")
_CLOCK_END = re.compile(r"\b[ap]\.m\.?$")


@dataclass(frozen=True, slots=True)
class Card:
    """A person or an office; of each line its label, "" where it has none, and what it says."""

    name: str
    labels: tuple[str, ...]
    lines: tuple[str, ...]


def read_card(line: str, page_title: str = "") -> Card | None:
    """The card that a line is; None where it is a sentence, or says of nobody how to reach them.

    Where it begins with a room, its name is the page's title.
    """
    if "\n" in line or not _REACH.search(line):
        return None
    parts = _parts_of(line)
    if len(parts) < LEAST_PARTS or any(len(part) > MOST_PART_CHARS for part in parts):
        return None
    first = parts[0]
    is_reach, is_room = _REACH.fullmatch(first), first[-1].isdigit()
    if (not is_reach and not _NAME.fullmatch(first)) or ((is_reach or is_room) and not page_title):
        return None
    name, rest = (page_title, parts) if is_reach or is_room else (first, parts[1:])
    return _card(name, [_labelled(part) for part in rest])


def card_of_lines(lines: Sequence[str]) -> Card | None:
    """Lines below each other as one card: a name, and one address and one telephone at most.

    Of several people each would have lines of these sorts.
    """
    if any(sum(sort.search(line) is not None for line in lines) > 1 for sort in (EMAIL, PHONE)):
        return None
    return read_card("; ".join(lines))


def card_of_row(columns: Sequence[str], cells: Sequence[str]) -> Card | None:
    """A row as a card, where a cell is a telephone number or an address of mail."""
    if not any(EMAIL.fullmatch(cell) or PHONE.match(cell) for cell in cells[1:]):
        return None
    return _card(cells[0], [(name, cell) for name, cell in zip(columns[1:], cells[1:], strict=True) if cell])


def linked(text: str) -> Iterator[tuple[str, str]]:
    """A text in stretches, each with the address that it may link to, or "": `tel:` or `mailto:`."""
    for i, stretch in enumerate(_REACH.split(text)):
        if i % 2:
            yield stretch, f"mailto:{stretch}" if "@" in stretch else f"tel:{_digits(stretch)}"
        elif stretch:
            yield stretch, ""


def _card(name: str, lines: Sequence[tuple[str, str]]) -> Card:
    return Card(name, tuple(label for label, _ in lines), tuple(line for _, line in lines))


def _parts_of(line: str) -> list[str]:
    """Its parts: between full stops, commas and the like, and each number or address by itself.

    What begins with a small letter belongs to the part before it: "Founders House, first floor".
    """
    parts: list[str] = []
    for start, end in sentences(line):
        for part in _SEPARATOR.split(line[start:end]):
            pieces = [part] if _LABEL.fullmatch(part) else _REACH.split(part)
            for piece in filter(None, map(_trimmed, pieces)):
                if parts and piece[0].islower() and not _REACH.search(f"{parts[-1]} {piece}"):
                    parts[-1] += f", {piece}"
                else:
                    parts.append(piece)
    return parts


def _trimmed(piece: str) -> str:
    """Without what stood between it and the next one; "5 p.m." keeps its stop."""
    piece = piece.strip(" ,;·")
    return piece if _CLOCK_END.search(piece) else piece.strip(".")


def _labelled(part: str) -> tuple[str, str]:
    match = _LABEL.fullmatch(part)
    return (match["label"], match["value"]) if match else ("", part)


def _digits(phone: str) -> str:
    return re.sub(r"[^0-9+]", "", phone)
