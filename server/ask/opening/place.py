"""Which place a question names, of those whose hours are known: every word of it must be the place's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from server.ask.opening.day import PlaceHours, of_same_host
from server.lexicons import lexicon
from server.models import OpeningHours
from server.models.hours import EVERYTHING, OFFICES
from server.written_hours.names import bare_name, is_main_part

Stems = Callable[[Sequence[str]], list[set[str]]]

_WORDS = lexicon("hours")
_TYPES = _WORDS.words("type_words")
_ALTERNATIVES = re.compile(r"\s*(?:,|/|\(|\)|:| and | & | – | — | - )\s*")
_ADDRESS_WORDS = re.compile(r"[^a-z0-9]+")
# How well a name fits: all of it is said; its last word is, and no other place has that.
WHOLE, LAST_WORD = 2, 1


@dataclass(frozen=True, slots=True)
class NamedPlace:
    """A place that a question names; `parts` are those that are meant, "" for the place itself."""

    place: PlaceHours
    parts: tuple[str, ...]
    fit: int

    def lines_in(self, passage: int) -> frozenset[str]:
        """The lines of a passage (its chunk id) that say its hours, or those of the parts that are meant."""
        meant = (one for one in self.place.lines if not any(self.parts) or one.part in self.parts)
        return frozenset(one.line for one in meant if one.chunk_id == passage and not one.correction)


def places_of(hours: Iterable[OpeningHours]) -> list[PlaceHours]:
    """The lines of a site by page and place, in their order."""
    groups: dict[tuple[str, str], list[OpeningHours]] = {}
    everyone: list[OpeningHours] = []
    for one in hours:
        if one.place in (OFFICES, EVERYTHING):
            everyone.append(one)
        else:
            groups.setdefault((one.url, one.place), []).append(one)
    of_page: dict[str, list[OpeningHours]] = {}
    for (url, _), lines in groups.items():
        if lines[0].own:
            of_page.setdefault(url, []).extend(one for one in lines if not one.part)
    return [
        PlaceHours(
            name,
            any(one.own for one in lines),
            url,
            lines[0].context,
            tuple(lines),
            () if lines[0].own else tuple(of_page.get(url, ())),
            tuple(one for one in everyone if of_same_host(one, url)),
        )
        for (url, name), lines in groups.items()
    ]


def named_places(
    asked: Sequence[str], places: Sequence[PlaceHours], titles: Sequence[str], stems: Stems
) -> list[NamedPlace]:
    """The places that fit best, all of one name; none where none fits, or places of several names do alike.

    `asked` are the question's words that are neither of time nor of asking; `titles` are of pages that were
    found for it, among which may be rivals.
    """
    words = set[str]().union(*stems(list(asked)))
    if not words:
        return []
    types = set[str]().union(*stems(sorted(_TYPES)))
    core = words - types or words
    matcher = _Matcher(words, core, types if core != words or words - types else set(), stems)
    found = [one for place in places if (one := matcher.match(place))]
    rivals = [*titles, *(place.name for place in places)]
    found = [one for one in found if one.fit == WHOLE or not matcher.has_rival(one, rivals)]
    best = max(((one.fit, one.place.own) for one in found), default=None)
    found = [one for one in found if one.fit == (best or (0, False))[0]]
    names = {tuple(sorted(matcher.own_words(one.place.name))) for one in found if not any(one.parts)}
    whole = [one for one in found if not any(one.parts)]
    if whole and len(names) == 1:
        return sorted(whole, key=lambda one: not one.place.own)
    of_parts = [one for one in found if any(one.parts)]
    if not whole and len({one.place.name for one in of_parts}) == 1:
        return of_parts
    return []


@dataclass(frozen=True, slots=True)
class _Matcher:
    words: set[str]
    core: set[str]
    types: set[str]
    stems: Stems

    def own_words(self, name: str) -> set[str]:
        """A name's stems without those that tell no place from another."""
        stems = self._stems_of(name)
        return stems - self.types or stems

    def _stems_of(self, text: str) -> set[str]:
        [found] = self.stems([text])
        return found

    def match(self, place: PlaceHours) -> NamedPlace | None:
        """The place with the parts that are meant; None where a word of the question is not its own."""
        context = self._stems_of(f"{place.name} {place.context}")
        known = context | self._stems_of(" ".join(place.parts)) | self._stems_of(_address(place)) | self.types
        if not self.words <= known:
            return None
        if parts := self._parts(place):
            fit = max(fit for _, fit in parts)
            return NamedPlace(place, tuple(part for part, own in parts if own == fit), fit)
        fit = max((self._fit(name) for name in _names(place)), default=0)
        covered = set[str]().union(*(self._stems_of(name) for name in _names(place)))
        if not fit or not self.core <= covered | context:
            return None
        return NamedPlace(place, ("",), fit)

    def _parts(self, place: PlaceHours) -> list[tuple[str, int]]:
        found = []
        for part in place.parts:
            fit = max((self._fit(name) for name in _ALTERNATIVES.split(part) if name), default=0)
            if fit and not (is_main_part(part) and self.core <= self.own_words(place.name)):
                found.append((part, fit))
        return found

    def _fit(self, name: str) -> int:
        own = self.own_words(name)
        if not own & self.core:
            return 0
        if own <= self.words:
            return WHOLE
        words = [word for word in name.split() if self._stems_of(word) & own]
        return LAST_WORD if words and self._stems_of(words[-1]) & self.core else 0

    def has_rival(self, one: NamedPlace, names: Sequence[str]) -> bool:
        """Whether another name has the same words of the question, and others beside them."""
        own = [self.own_words(name) for name in (*_names(one.place), *one.parts) if name]
        mine = set[str]().union(*own)
        asked = self.core & mine
        for name in names:
            theirs = self.own_words(bare_name(name) or name)
            if asked <= theirs and theirs - mine - self.words:
                return True
        return False


def _names(place: PlaceHours) -> list[str]:
    """What a place may be called; of what a page is about, what its title, heading and address call it."""
    names = [place.name, *_ALTERNATIVES.split(place.name)]
    if place.own:
        for title in place.context.split(" › ")[:2]:
            bare = bare_name(title)
            names += [bare, *_ALTERNATIVES.split(bare)]
        names.append(_address(place))
    return list(dict.fromkeys(name for name in names if name))


def _address(place: PlaceHours) -> str:
    """The last words of its page's address that name something: "/life/recreation/" is recreation."""
    path = urlsplit(place.url).path.casefold()
    parts = [" ".join(_ADDRESS_WORDS.split(part.partition(".")[0])).strip() for part in path.split("/")]
    named = [part for part in parts if part and bare_name(part)]
    return bare_name(named[-1]) if named and place.own else ""
