"""Measure spelling: how many slips of typing are mended, and what is changed in lines that have none.

    python -m scripts.research.hearing.measure_spelling larkmoor
    python -m scripts.research.hearing.measure_spelling quennell --pages var/quennell.jsonl [--changed 40]

Slips are put into one or two words of each question, one in a word and two in some of eight letters or
more. Two letters are swapped, one is left out, doubled, put in or exchanged for its neighbour on the
keyboard, or the space before a word is left out; the draw is seeded. Only words that the site has are
spoilt, and no stop words, for what is not searched cannot be found again. A line is mended when it has
the words it was made of, by their stems. What is changed in lines as they were written is counted over
all questions of the set.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from corpus.visitors.sets import read_larkmoor, read_page_questions
from server.ask.conversation.spelling import MIN_LETTERS, replace_words
from server.ask.conversation.spelling import correct_spelling as correct
from server.ask.normalize import written_out
from server.index.text import load_synonyms, words
from server.settings import Settings
from server.wiring.measuring import Ground, open_ground
from server.wiring.opened import OpenedSnapshot

_WORD = re.compile(r"[A-Za-z]+")
_KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
LONG = 8  # letters, from which some words get a second slip
SECOND = 0.3


@dataclass(frozen=True, slots=True)
class Spoilt:
    """A question and how it was misspelt."""

    question: str
    typed: str


def slip(word: str, draw: random.Random) -> str:
    """The lower-case word with one slip."""
    at = draw.randrange(1, len(word))
    row = next((row for row in _KEYS if word[at] in row), "e")
    place = row.find(word[at])
    near = row[place - 1 if place else 1] if place >= 0 else "e"
    return draw.choice(
        [
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[:at] + draw.choice("aeioustrn") + word[at:],
            word[:at] + near + word[at + 1 :],
        ]
    )


def spoil(question: str, known: set[str], draw: random.Random) -> Spoilt | None:
    """The question with slips in one or two words of `known`; None where it has none that is long enough."""
    places = [m for m in _WORD.finditer(question) if len(m[0]) > MIN_LETTERS and m[0].lower() in known]
    if not places:
        return None
    typed = question
    chosen = draw.sample(places, min(len(places), draw.choice((1, 2))))
    for match in sorted(chosen, key=lambda one: -one.start()):
        start = match.start()
        if draw.random() < 0.1 and start and question[start - 1] == " ":
            typed = typed[: start - 1] + typed[start:]
            continue
        word = slip(match[0].lower(), draw)
        if len(word) >= LONG and draw.random() < SECOND:
            word = slip(word, draw)
        typed = typed[:start] + word + typed[match.end() :]
    return Spoilt(question, typed) if typed != question else None


def questions(name: str) -> list[str]:
    """The lines of a set as they were written."""
    rows: Sequence[object] = read_larkmoor("work") if name == "larkmoor" else read_page_questions(name)
    return [str(getattr(row, "question")) for row in rows]  # noqa: B009 - two kinds of rows


class Speller:
    """Corrects a line over one snapshot as a question's way does."""

    def __init__(self, ground: Ground, index: OpenedSnapshot, settings: Settings) -> None:
        phrases = (phrase for one in load_synonyms(settings.synonyms_file) for phrase in one.phrases())
        self._known = {word for phrase in phrases for word in words(phrase)}
        self._embedder = ground.embedder
        self._index = index
        self.ms: list[float] = []

    def corrections(self, line: str) -> dict[str, str]:
        """What it replaces in a line by what."""
        start = time.perf_counter()
        found = correct(line, self._index.text, self._is_word, self._finds)
        self.ms.append((time.perf_counter() - start) * 1000)
        return found

    def _is_word(self, word: str) -> bool:
        return self._embedder.is_word(word) or word in self._known

    def _finds(self, line: str) -> float:
        return max((hit.score for hit in self._index.keyword.search(line, 1)), default=0.0)


def spoilt_lines(lines: Sequence[str], index: OpenedSnapshot, seed: int) -> Iterator[Spoilt]:
    """Each question with slips that can be mended."""
    draw = random.Random(seed)
    for line in lines:
        known = index.text.knows(index.text.content_words(line))
        if one := spoil(line, known, draw):
            yield one


def main() -> None:
    """Read the arguments, spoil, correct and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", choices=("larkmoor", "tamsettferry", "quennell", "handbook"))
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--changed", type=int, default=0, help="print so many changes of lines without slips")
    given = parser.parse_args()
    settings = Settings.read(os.environ)
    with open_ground(settings, given.pages) as ground:
        ground.prepare(print, print)
        with ground.live.lease() as opened:
            _measure(given, Speller(ground, opened, settings), opened)


def _measure(given: argparse.Namespace, speller: Speller, index: OpenedSnapshot) -> None:
    lines = [written_out(line).text for line in questions(given.set)]
    changed = [(line, found) for line in lines if (found := speller.corrections(line))]
    untouched, speller.ms = median(speller.ms), []
    stems = index.text.stems
    spoilt = list(spoilt_lines(lines, index, given.seed))
    mended = sum(
        stems([replace_words(one.typed, speller.corrections(one.typed))]) == stems([one.question])
        for one in spoilt
    )
    print(f"{given.set}: {len(lines)} questions, {len(changed)} changed as they were written")
    print(f"slips in {len(spoilt)} of them, {mended} mended ({mended / len(spoilt):.3f})")
    print(f"median ms a line: {untouched:.2f} as written, {median(speller.ms):.2f} with slips")
    for line, found in changed[: given.changed]:
        print(f"  {found}  in  {line}")


if __name__ == "__main__":
    main()
