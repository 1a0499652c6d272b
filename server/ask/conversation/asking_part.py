"""What of a question asks, without the story around it: "got out in 2011, does my gi bill expire".

People say how they came to ask. A small reader takes the story for something that the passage would have to
say, and is unsure of a passage that answers. What follows from a condition is no story: "if i drop a class
after the deadline, do i get a refund".
"""

from __future__ import annotations

import re
from itertools import pairwise

from server.ask.conversation.phrases import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    Word,
    words_of,
)
from server.ask.conversation.pieces import asks, begins_asking, named_in, only_names, plain
from server.lexicons import lexicon

_CONDITIONS = lexicon("words").words("conditions")
# Between what tells and what asks; a sentence's end is one, too.
_BREAK = re.compile(r"[.?!]+[\s\"”')]+|\n+|(?:,|;|:|\s[-–—]|\.{2,})\s+|\.{2,}")
# With these a clause means something of the story: "do you need those grades too".
_POINTING = frozenset({"it", "its", "them", "that", "this", "these", "those", "one", "ones"})
# What tells has so many words, and what asks.
LEAST_TOLD, LEAST_ASKED = 3, 3


def asking_part(question: str) -> str:
    """The clause that asks, where the rest only tells; "" where nothing only tells, or where the clause is
    not understood without it."""
    first, last = _head_end(question), _tail_start(question)
    if first == 0 and last == len(question):
        return ""
    part = plain(question[first:last].strip(" ,;:–—-"))
    keys = [word.key for word in words_of(part)]
    stands = len(keys) >= LEAST_ASKED and named_in(part) and not _POINTING.intersection(keys)
    return part if stands else ""


def _head_end(question: str) -> int:
    """Where what asks begins: 0 where nothing before it only tells."""
    for match in _BREAK.finditer(question):
        before, after = question[: match.start()], question[match.end() :]
        if asks(before + match.group().rstrip()) and "?" in match.group():
            return 0
        if begins_asking(plain(after)):
            return match.end() if _only_tells(before) else 0
    return _run_on(question)


def _run_on(question: str) -> int:
    """Where a question begins with nothing between: "got out in 2011 | does my gi bill expire"."""
    words = words_of(question)
    for i, (one, other) in enumerate(pairwise(words)):
        if one.key in QUESTION_WORDS:
            return 0
        turned = one.key in AUXILIARIES and other.key in PRONOUNS | DETERMINERS
        if turned and i >= LEAST_TOLD and not _goes_on(words[i - 1]):
            return one.start if _only_tells(question[: one.start]) else 0
    return 0


def _goes_on(word: Word) -> bool:
    """Whether what comes after it belongs to it: "what courses | do i", "and | do they"."""
    return word.key in AUXILIARIES | PRONOUNS | DETERMINERS | PREPOSITIONS | QUESTION_WORDS


def _only_tells(text: str) -> bool:
    """Whether it is a story: several words, none of a question or a condition at its beginning."""
    keys = [word.key for word in words_of(plain(text))]
    if len(keys) < LEAST_TOLD or keys[0] in _CONDITIONS | PREPOSITIONS or only_names(text):
        return False
    return not QUESTION_WORDS.intersection(keys) and not asks(text)


def _tail_start(question: str) -> int:
    """Where what comes after the question begins, if that only tells: its length where nothing does."""
    for match in _BREAK.finditer(question):
        if "?" in match.group() and not asks(plain(question[match.end() :])):
            return match.start() + 1
    return len(question)
