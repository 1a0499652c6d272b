"""Which written questions are kept: well formed, their answer on their page, found again by our search.

The round trip (Alberti et al., "Synthetic QA Corpora Generation with Roundtrip Consistency", 2019) is held
against retrieval: a question that does not bring its own passage is not the one that its page answers.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from server.evaluate.questions import contains_any
from server.lexicons import Lexicon, lexicon
from server.models import Passage
from server.training.asking import GeneratedQuestion, PageChunks

# Passages for a question, best first.
Search = Callable[[str], Sequence[Passage]]

FOUND_WITHIN = 5
MOST_ANSWER_WORDS = 40
WORDS = range(3, 26)  # of a question

# Why a question is dropped, in the order in which it is asked.
REASONS = {
    "malformed": "is no question of 3 to 25 words, or gives its answer away",
    "about_the_page": "speaks of the page as if the visitor had it before them",
    "repeated": "asks what another one of the page asks",
    "answer_too_long": f"its answer has more than {MOST_ANSWER_WORDS} words",
    "answer_not_on_page": "its answer does not stand on the page",
    "not_found_again": f"its page, with the answer, is not among the first {FOUND_WITHIN} passages",
}

_WORD = re.compile(r"\w+")


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    words = lexicon("generated_questions")
    return words.pattern("about_the_page", r"\b{}"), words.pattern("begins", r"^[¿\s]*{}\b")


def why_dropped(
    one: GeneratedQuestion, page: PageChunks, kept: Sequence[GeneratedQuestion], search: Search
) -> str | None:
    """A key of `REASONS`; None where the question is kept. The search comes last, as it costs most."""
    about_the_page, _ = _patterns()
    if not is_well_formed(one):
        return "malformed"
    if about_the_page.search(one.question):
        return "about_the_page"
    if any(_plain(one.question) == _plain(other.question) for other in kept):
        return "repeated"
    if len(one.answer.split()) > MOST_ANSWER_WORDS:
        return "answer_too_long"
    if not any(contains_any(chunk.text, [one.answer]) for chunk in page.chunks):
        return "answer_not_on_page"
    return None if is_found(one.question, one.answer, page.url, search) else "not_found_again"


def is_well_formed(one: GeneratedQuestion) -> bool:
    """Whether it reads as a question, and does not say its own answer."""
    _, begins = _patterns()
    asks = one.question.rstrip().endswith("?") or bool(begins.search(one.question))
    return asks and len(_WORD.findall(one.question)) in WORDS and not contains_any(one.question, [one.answer])


def is_found(question: str, answer: str, url: str, search: Search) -> bool:
    """The round trip: a passage of the page, with the answer in it, is among the first."""
    found = list(search(question))[:FOUND_WITHIN]
    return any(passage.url == url and contains_any(passage.text, [answer]) for passage in found)


def rephrasings(question: str) -> Iterator[tuple[str, str]]:
    """(how, question) as people type it: `slang` where a word has some, and `typo`; ever the same ones."""
    said = question.rstrip(" ?").lower()
    words: Lexicon = lexicon("generated_questions").part("slang")
    short = _WORD.sub(lambda match: words.get(match.group(), match.group()), said)
    if short != said:
        yield "slang", short
    slipped = with_typo(said)
    if slipped != said:
        yield "typo", slipped


def with_typo(text: str) -> str:
    """Two neighbouring letters inside its longest word in each other's place."""
    longest = max(_WORD.findall(text), key=len, default="")
    if len(longest) < 5:
        return text
    draw = random.Random(hashlib.sha256(text.encode()).digest())  # noqa: S311  (a slip of typing)
    at = draw.randrange(1, len(longest) - 2)
    slipped = longest[:at] + longest[at + 1] + longest[at] + longest[at + 2 :]
    return text.replace(longest, slipped, 1)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
