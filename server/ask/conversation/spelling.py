"""Spelling: a slip becomes a word of the site, where the line then finds more than as it was typed.

Left alone: what the site has in any form, what a list of English or Spanish words has, a name, a word of a
synonym, and every word of a line in another language. Slips are those of typing: letters swapped, doubled,
left out, put in or missed by a key, a space too few or too many.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from server.ask.conversation.phrases import is_english, words_of
from server.ask.ports import SnapshotText

_WORD = re.compile(r"[^\W\d_]+")
# Shorter words have too many neighbours, and are as likely a code or a name as a slip.
MIN_LETTERS = 4
# Of a word that is two without a space, and how many letters each of the two has at least.
MIN_GLUED, MIN_PART = 7, 3
MOST_TRIED, PLAIN_FROM = 4, 5
# What slips may cost together in a word of up to so many letters, and in a longer one.
MOST_COST, IN_LONGER = ((4, 0.75), (6, 1.0)), 2.0
# What a slip costs beside one of any other kind, 1; and what it does at a word's first letter.
SWAPPED, DOUBLED, NEXT_KEY, FIRST = 0.6, 0.5, 0.7, 0.5
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

# The best score of a line in the search by words.
Finds = Callable[[str], float]


def correct_spelling(
    question: str,
    vocabulary: SnapshotText | PhrasingWords,
    is_word: Callable[[str], bool],
    finds: Finds | None = None,
) -> dict[str, str]:
    """What is to be replaced by what: the words that neither the site nor the language knows.

    With `finds` a replacement must be a word that is searched for; if the slip is unlikely, the line's best
    match must be better with it than without, and than that of the word alone. A common word that the site
    does not use stays as it is: "hockey" must not turn into "jockey".
    """
    strange = _strange_words(question, vocabulary, is_word)
    corrections: dict[str, str] = {}
    for word in strange:
        if any(word in done.split() for done in corrections):
            continue
        tries = _tries(word, question, vocabulary)
        best = _best(tries, replace_words(question, corrections), finds)
        if best is not None:
            corrections[best[0]] = best[1]
    return corrections


def _strange_words(
    question: str, vocabulary: SnapshotText | PhrasingWords, is_word: Callable[[str], bool]
) -> list[str]:
    """Those of a question in English that nobody knows, in small letters."""
    typed = [match.group() for match in _WORD.finditer(question)]
    capitals = sum(word[0].isupper() for word in typed)
    names = set(typed[1:]) if capitals <= (len(typed) + 1) // 2 else set()
    words = dict.fromkeys(
        word.lower()
        for word in typed
        if len(word) >= MIN_LETTERS and not (word in names and word[0].isupper())
    )
    unknown = [word for word in words if not is_word(word)]
    unknown = [word for word in unknown if not is_listed(word)] if unknown else []
    if not unknown or not is_english(question):
        return []
    known = vocabulary.knows(unknown) | vocabulary.knows_a_form(unknown)
    return [word for word in unknown if word not in known]


def _tries(
    word: str, question: str, vocabulary: SnapshotText | PhrasingWords
) -> dict[tuple[str, str], float]:
    """What may be replaced by what, with the cost of the slip; the cheapest first."""
    near = vocabulary.nearest_words(word, max_edits(word), MOST_TRIED)
    costs = {known: typing_cost(word, known) for known in near}
    tries = {(word, known): cost for known, cost in costs.items() if cost <= _most_cost(word, known)}
    if len(word) >= MIN_GLUED:
        cuts = [(word[:i], word[i:]) for i in range(MIN_PART, len(word) - MIN_PART + 1)]
        parts = vocabulary.knows(list({part for cut in cuts for part in cut}))
        tries |= {(word, " ".join(cut)): 1.0 for cut in cuts if parts.issuperset(cut)}
    typed = [match.group().lower() for match in _WORD.finditer(question)]
    apart = [pair for pair in pairwise(typed) if word in pair]
    whole = vocabulary.knows(["".join(pair) for pair in apart]) if apart else set()
    tries |= {(" ".join(pair), "".join(pair)): 0.5 for pair in apart if "".join(pair) in whole}
    return dict(sorted(tries.items(), key=lambda item: item[1]))


def _best(tries: dict[tuple[str, str], float], question: str, finds: Finds | None) -> tuple[str, str] | None:
    """The cheapest slip; of equals the one that finds most; None where nothing finds more."""
    if finds is None or not tries:
        return next(iter(tries), None)
    as_typed = finds(question)
    taken: tuple[float, float, tuple[str, str]] | None = None
    for one, cost in list(tries.items())[: 2 * MOST_TRIED]:
        if taken and cost > taken[0]:
            break
        score, alone = finds(replace_words(question, {one[0]: one[1]})), finds(one[1])
        is_found = alone > 0 if _is_plain(one, cost) or not as_typed else score > max(as_typed, alone)
        if is_found and (taken is None or score > taken[1]):
            taken = (cost, score, one)
    return taken[2] if taken else None


def _most_cost(word: str, known: str) -> float:
    longer = max(len(word), len(known))
    return next((cost for letters, cost in MOST_COST if longer <= letters), IN_LONGER)


def _is_plain(one: tuple[str, str], cost: float) -> bool:
    """A slip that needs no other word beside it to be believed: a likely one, or any one in a longer word."""
    letters = max(map(len, one))
    return " " not in one[1] and (
        (cost < 1.0 and letters > MIN_LETTERS) or (cost == 1.0 and letters > PLAIN_FROM)
    )


def max_edits(word: str) -> int:
    """One slip in a short word, two from seven letters on."""
    return 1 if len(word) < 7 else 2


def replace_words(question: str, corrections: dict[str, str]) -> str:
    """The question with its misspelt words replaced, with any space between two of them."""
    if not corrections:
        return question
    anyone = "|".join(
        r"\W+".join(map(re.escape, one.split())) for one in sorted(corrections, key=len, reverse=True)
    )
    pattern = re.compile(rf"(?<![^\W\d_])(?:{anyone})(?![^\W\d_])", re.IGNORECASE)
    return pattern.sub(lambda match: corrections[" ".join(_WORD.findall(match.group().lower()))], question)


@cache
def _listed() -> npt.NDArray[np.int64]:
    """The hashes of the words of pyspellchecker's English and Spanish lists, ascending: 2 MB.

    As a set they would be 25 MB. Read when a word is first looked up: most questions have none to look up.
    """
    lists = (files("spellchecker") / "resources" / f"{language}.json.gz" for language in ("en", "es"))
    tables = (json.loads(gzip.decompress(one.read_bytes())) for one in lists)
    return np.sort(np.concatenate([np.fromiter(map(hash, table), np.int64) for table in tables]))


def is_listed(word: str) -> bool:
    """Whether a list of English or Spanish words has the lower-case word."""
    known, key = _listed(), hash(word)
    place = int(np.searchsorted(known, key))
    return place < len(known) and int(known[place]) == key


class PhrasingWords:
    """The words of all phrasings, for `correct_spelling`."""

    def __init__(self, phrasings: Iterable[str]) -> None:
        words = sorted({word.key for phrasing in phrasings for word in words_of(phrasing)})
        self._letters = {word: frozenset(word) for word in words}

    def knows(self, words: Sequence[str]) -> set[str]:
        """Those of the lower-case words that stand in a phrasing."""
        return set(words).intersection(self._letters)

    def knows_a_form(self, words: Sequence[str]) -> set[str]:
        """As `knows`: phrasings are held against each other word by word."""
        return self.knows(words)

    def nearest_words(self, word: str, max_edits: int, most: int = 1) -> list[str]:
        """The words of a phrasing within so many edits, the nearest first."""
        letters = frozenset(word)
        # Each edit changes the length by one at most, and the letters that only one has by two.
        near = (
            (edits(word, known), known)
            for known, its_letters in self._letters.items()
            if abs(len(known) - len(word)) <= max_edits and len(letters ^ its_letters) <= 2 * max_edits
        )
        return [known for count, known in sorted(near) if count <= max_edits][:most]


def edits(word: str, other: str) -> int:
    """How many letters are put in, left out, exchanged or swapped with the next between two words."""
    return round(_distance(word, other, lambda i, j: 1.0, 1.0, lambda text, i: 1.0))


def typing_cost(word: str, other: str) -> float:
    """What the slips between two words cost: a likely one less than 1."""

    def exchanged(i: int, j: int) -> float:
        return NEXT_KEY if other[j] in _next_keys().get(word[i], "") else 1.0

    def doubled(text: str, i: int) -> float:
        return DOUBLED if i and text[i] == text[i - 1] else 1.0

    first = FIRST * (word[:1] != other[:1])
    return _distance(word, other, exchanged, SWAPPED, doubled) + first


def _distance(
    word: str,
    other: str,
    exchanged: Callable[[int, int], float],
    swapped: float,
    added: Callable[[str, int], float],
) -> float:
    """The least cost of making one word the other (Damerau–Levenshtein, optimal string alignment)."""
    before: list[float] = []
    last = list(_sums(other, added))
    for i, letter in enumerate(word):
        row = [last[0] + added(word, i)]
        for j, other_letter in enumerate(other):
            same = last[j] + (0.0 if letter == other_letter else exchanged(i, j))
            cost = min(last[j + 1] + added(word, i), row[j] + added(other, j), same)
            if i and j and letter == other[j - 1] and word[i - 1] == other_letter:
                cost = min(cost, before[j - 1] + swapped)
            row.append(cost)
        before, last = last, row
    return last[-1]


def _sums(text: str, added: Callable[[str, int], float]) -> Iterator[float]:
    total = 0.0
    yield total
    for i in range(len(text)):
        total += added(text, i)
        yield total


@cache
def _next_keys() -> dict[str, str]:
    """For each letter those beside it and above and below it on a keyboard."""
    near: dict[str, str] = {}
    for y, row in enumerate(_ROWS):
        for x, key in enumerate(row):
            around = [(y, x - 1), (y, x + 1), (y - 1, x), (y - 1, x + 1), (y + 1, x - 1), (y + 1, x)]
            near[key] = "".join(
                _ROWS[b][a] for b, a in around if 0 <= b < len(_ROWS) and 0 <= a < len(_ROWS[b])
            )
    return near
