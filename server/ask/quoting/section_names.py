"""Whether what is quoted of several sections is said below the names of these.

"A lost book costs $100 or more" and "we bill $70" are both true, of an interlibrary loan and of the library's
own: what of several sections has figures of its own is taken for one another's without their names. Where the
sections say the same, or no figures, the answer reads better without (docs/answers.md has what readers say).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# A step's number at the beginning of a line, a source's mark, and a course's code are no figures.
_NO_FIGURES = re.compile(
    r"^\d{1,2}[.)] |\[\d{1,3}\]|\b[A-Z]{2,8}[ -]?\d+[A-Z]*\b|\b\d+[A-Z]+\b", re.MULTILINE
)
_FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")


def names_above(said: Sequence[str], places: Sequence[str]) -> Sequence[str]:
    """The line above each of these sentences, by the names of the places that they are of; "" for none.

    None has one where all are of one place, or the others have no figures but those of the first.
    """
    figures: dict[str, set[str]] = {}
    for text, place in zip(said, places, strict=True):
        figures.setdefault(place, set()).update(_FIGURE.findall(_NO_FIGURES.sub("", text)))
    first, *others = figures.values() or [set()]
    if not first or not any(own - first for own in others):
        return [""] * len(places)
    return [f"{place}:" for place in places]
