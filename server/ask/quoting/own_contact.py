"""Where the university itself is, and how it is reached: "what is your address", "main phone number".

Such a question names nobody, and every office has a telephone. So it is answered with a line of a page or
section on contact that gives the address, or with what it calls the main number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.ask.quoting.score import ANSWER_TYPES, QuestionFeatures, ScoredSentence
from server.lexicons import lexicon

_WORDS = lexicon("contacts").part("own")
_ADDRESS, _PHONE, _EMAIL, _MAIN, _PLACE = (
    _WORDS.pattern(name, r"\b(?:{})\b") for name in ("address", "phone", "email", "main", "place")
)
_STREET = _WORDS.pattern("street")
_NOTHING = _WORDS.words("nothing")
# So many characters before a number, at most, it is called the main one.
NEAR = 30
_LOOKS = {kind.name: kind.looks for kind in ANSWER_TYPES}


def asked_of_itself(question: str, wanted: QuestionFeatures) -> re.Pattern[str] | None:
    """What the line has to have, where a question asks of the university itself; None for any other."""
    asks = ((_EMAIL, _LOOKS["e-mail"]), (_ADDRESS, _STREET), (_PHONE, _LOOKS["phone"]))
    looks = next((looks for asked, looks in asks if asked.search(question)), None)
    if looks is None:  # as of most questions
        return None
    [bare] = wanted.stems([" ".join(_NOTHING)])
    return looks if wanted.word_weights.keys() <= bare else None


def own_contact(looks: re.Pattern[str], quoted: Sequence[ScoredSentence]) -> ScoredSentence | None:
    """The best line that has it, on a page or in a section on contact; of numbers and mail what is called the
    main one, or stands beside the address."""
    for quote in quoted:
        line, place = quote.sentence, f"{quote.passage.title} {quote.passage.heading}"
        if _PLACE.search(place) and any(
            looks is _STREET
            or _STREET.search(line)
            or _MAIN.search(line, max(0, found.start() - NEAR), found.end())
            for found in looks.finditer(line)
        ):
            return quote
    return None
