"""What an editor is about to do for one question: an item of the draft, a golden question, or both."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

Item = dict[str, Any]

# What a right answer is likely to turn on: money, times, dates, numbers, addresses.
_FACT = re.compile(
    r"[$€£]\s?\d[\d,.]*\d|[$€£]\s?\d"
    r"|\b\d{1,2}(?::\d\d)?\s?[ap]\.?m\.?"
    r"|\b(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?"
    r"|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.? \d{1,2}\b"
    r"|\b[\w.+-]+@[\w-]+\.[\w.]*\w"
    r"|\b\d+(?:,\d{3})*(?:\.\d+)?%?(?=,? \w)",
)
MOST_FACTS = 8


@dataclass(frozen=True)
class Change:
    """`part` and `item` are what goes into the draft, where anything does.

    A right answer cites one of `pages` and holds one of `words`; `golden`: that is to be kept. `missing` says
    what is still to be given.
    """

    part: str = ""
    item: Item = field(default_factory=dict)
    pages: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    golden: bool = False
    missing: str = ""

    @property
    def right(self) -> dict[str, list[str]]:
        """What a right answer is known by, as the API takes it."""
        return {"pages": list(self.pages), "answers": list(self.words)}


def facts(text: str) -> list[str]:
    """What of a passage a right answer may have to hold: `$145`, `March 1`, `10 a.m.`, in their order."""
    found = (" ".join(match.group().split()) for match in _FACT.finditer(text))
    return list(dict.fromkeys(found))[:MOST_FACTS]


def distinct(tables: Sequence[dict[str, Any]], most: int) -> list[Item]:
    """The passages of all tables that came furthest, each once."""
    rows = [row for table in tables for row in table["rows"]]
    return list({(row["url"], row["heading"], row["text"]): row for row in rows}.values())[:most]
