"""Where the university itself is, and how it is reached: "what is your address", "main phone number".

Such a question names nobody, and every office has a telephone. So it is answered with a line of a page or
section on contact that gives the address, or with what it calls the main number; of several hosts, on one
of the large ones, for a department's or somebody's own has an address of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from server.ask.quoting.score import ANSWER_TYPES, QuestionFeatures, ScoredSentence
from server.lexicons import lexicon
from server.models import Passage
from server.models.sites import least_of_large

_WORDS = lexicon("contacts").part("own")
_ADDRESS, _PHONE, _EMAIL, _MAIN, _PLACE = (
    _WORDS.pattern(name, r"\b(?:{})\b") for name in ("address", "phone", "email", "main", "place")
)
_STREET = _WORDS.pattern("street")
_NOTHING = _WORDS.words("nothing")
# The address of a page that is somebody's own.
_SOMEBODYS = _WORDS.pattern("somebodys", r"/(?:{})")
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


def _is_ours(passage: Passage, hosts: Mapping[str, int], least: float) -> bool:
    """Whether its page is not somebody's own, nor a small host's."""
    url = urlsplit(passage.url)
    is_somebodys = passage.kind == "person" or _SOMEBODYS.search(url.path) is not None
    return not is_somebodys and hosts.get(url.netloc, 0) >= least


def own_contact(
    looks: re.Pattern[str], quoted: Sequence[ScoredSentence], hosts: Mapping[str, int]
) -> ScoredSentence | None:
    """The best line that has it, on a page or in a section on contact; of numbers and mail what is called the
    main one, or stands beside the address. `hosts` says how many pages each has."""
    least = least_of_large(hosts)
    for quote in quoted:
        line, place = quote.sentence, f"{quote.passage.title} {quote.passage.heading}"
        if (
            _is_ours(quote.passage, hosts, least)
            and _PLACE.search(place)
            and any(
                looks is _STREET
                or _STREET.search(line)
                or _MAIN.search(line, max(0, found.start() - NEAR), found.end())
                for found in looks.finditer(line)
            )
        ):
            return quote
    return None
