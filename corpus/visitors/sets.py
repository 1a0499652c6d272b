"""The question sets of this folder and the crisis lines, as typed rows (README.md tells of every field).

A set with halves is read as its "work" half; the "aside" half is for a final measurement alone.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

HERE = Path(__file__).parent
CRISIS_LINES = HERE.parent / "crisis_lines.jsonl"

Half = Literal["work", "aside"]
YesNo = Literal["yes", "no"]


@dataclass(frozen=True, slots=True)
class LarkmoorQuestion:
    """A question over the demo site. A right answer holds, of each group of `must_have`, one string."""

    id: str
    question: str
    kind: str
    voice: str
    topic: str
    half: Half
    answerable: bool
    gold_urls: tuple[str, ...]
    passages: tuple[str, ...]
    must_have: tuple[tuple[str, ...], ...]
    answers: tuple[str, ...]
    day: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    why_not: str = ""
    premise_denied_at: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DatedQuestion:
    """A question over the demo site, asked on a day and at a time of it (`today`, `time`: ISO 8601).

    A right answer holds, of each group of `must_have`, one string; one that holds any of `wrong` is wrong. No
    group: no answer is right but a refusal. `gold_url` is a path of the demo site.
    """

    id: str
    today: str
    time: str
    question: str
    gold_url: str
    must_have: tuple[tuple[str, ...], ...]
    wrong: tuple[str, ...]
    note: str = ""

    def is_right(self, answer: str) -> bool:
        """Whether an answer that is given as one is right."""
        holds = all(any(_stands_in(answer, one) for one in group) for group in self.must_have)
        return bool(self.must_have) and holds and not any(_stands_in(answer, one) for one in self.wrong)


def _stands_in(text: str, words: str) -> bool:
    """Whether the words stand in a text, and do not end a longer number: "1 a.m." is not "11 a.m."."""
    return re.search(rf"(?<!\d){re.escape(words)}", text, re.IGNORECASE) is not None


@dataclass(frozen=True, slots=True)
class QuoteAt:
    """Where a quote stands in its page's text, in characters, and the `fingerprint` of what stands there."""

    start: int
    end: int
    fingerprint: str

    def of(self, text: str) -> str:
        """The quote, cut out of the page's text."""
        return text[self.start : self.end]


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A question written from one page. `quote` and `answer` are empty where the page is not ours to copy."""

    id: str
    url: str
    question: str
    kind: str
    voice: str
    topic: str
    answerable: bool
    yes_no: YesNo | None
    other_urls: tuple[str, ...]
    why_not: str
    quote_at: QuoteAt | None
    quote: str = ""
    answer: str = ""
    source: str = ""
    unit: str | None = None
    confusable: bool = False
    wrong_urls: tuple[str, ...] = ()
    cell: str = ""
    day: str | None = None


@dataclass(frozen=True, slots=True)
class CrisisLine:
    """What a visitor wrote, and whether the help lines should be shown: of a `category`, or `near` one."""

    id: str
    text: str
    crisis: bool
    category: str | None
    near: str | None
    hand: str
    half: Half
    note: str = ""


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """A question that one cell of a table answers: the page, a name that its row has, and the cell.

    Both are as the page has them, or as much of them as tells; on a page of the demo site, `url` is its path.
    """

    id: str
    site: str
    url: str
    question: str
    row: str
    cell: str


def read_tables(file: Path | None = None) -> tuple[TableQuestion, ...]:
    """The questions over tables of the four sites, or of another file."""
    return tuple(TableQuestion(**row) for row in _rows(file or HERE / "tables.jsonl"))


def read_larkmoor(half: Half = "work") -> tuple[LarkmoorQuestion, ...]:
    """Visitors' questions over the demo site, one half of them."""
    rows = (LarkmoorQuestion(**_tuples(row)) for row in _rows(HERE / "larkmoor.jsonl"))
    return tuple(row for row in rows if row.half == half)


def read_crisis_lines(half: Half = "work") -> tuple[CrisisLine, ...]:
    """Lines in and near crisis, one half of them."""
    rows = (CrisisLine(**row) for row in _rows(CRISIS_LINES))
    return tuple(row for row in rows if row.half == half)


def read_page_questions(name: str) -> tuple[PageQuestion, ...]:
    """The questions of NAME.jsonl, each of which names the page it was written from."""
    return tuple(_page_question(row) for row in _rows(HERE / f"{name}.jsonl"))


# Sets of questions over several of our sites, by what the sources made of them are called.
OF_SEVERAL_SITES = {"stories": "stories", "words": "other_words", "everybody": "everybody"}
# The sites whose questions with a story are for measuring: nothing is learnt from those.
MEASURED_STORIES = frozenset({"fenwright", "ostrander"})


def is_kept_aside(url: str) -> bool:
    """Whether a page's questions are of the sixth that nothing is learnt from."""
    return int(hashlib.sha256(url.encode()).hexdigest(), 16) % 6 == 0


def fingerprint(quote: str) -> str:
    """The first 16 hexadecimal digits of a quote's SHA-256, its white space folded."""
    return hashlib.sha256(" ".join(quote.split()).encode()).hexdigest()[:16]


def _page_question(row: dict[str, Any]) -> PageQuestion:
    at = row.pop("quote_at")
    return PageQuestion(**_tuples(row), quote_at=at and QuoteAt(**at))


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, file.read_text(encoding="utf-8").splitlines())


def _tuples(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _tuple(value) for name, value in row.items()}


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


def read_dated() -> list[DatedQuestion]:
    """The dated questions over the demo site, day after day."""
    rows = [json.loads(line) for line in (HERE / "dated.jsonl").read_text(encoding="utf-8").splitlines()]
    return [
        DatedQuestion(
            **{**row, "must_have": tuple(map(tuple, row["must_have"])), "wrong": tuple(row["wrong"])}
        )
        for row in rows
    ]
