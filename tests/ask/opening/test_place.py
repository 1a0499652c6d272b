"""Which place a question's words name, and which they leave open."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from server.ask.opening.place import named_places, places_of
from server.models import OpeningHours

WEEK = ((480, 1020),)


def stems(texts: Sequence[str]) -> list[set[str]]:
    """Words without their last s: enough of a stemmer for these names."""
    plain = (text.casefold().translate(str.maketrans("/,()&-", "      ")) for text in texts)
    return [{word.rstrip("s") for word in text.split()} for text in plain]


def line(place: str, part: str = "", url: str = "library/hours/", *, own: bool = True) -> OpeningHours:
    context = place if own else f"A page › {place}"
    return OpeningHours(
        place, part, context, own, (), WEEK, None, None, (), f"https://u.example/{url}", 0, ""
    )


SITE = [
    line("Library", "Building"),
    line("Library", "Service desk"),
    line("IT Help Desk", own=False),
    line("Heron Center", "Pool, lap swim", "life/recreation/"),
    line("Heron Center", "Climbing wall", "life/recreation/"),
    line("The smaller places", "Quarry Café", "dining/", own=False),
    line("The smaller places", "Finch Café", "dining/", own=False),
    line("Office of the Registrar", url="registrar/"),
]


def named(question: str, *titles: str, site: Sequence[OpeningHours] = SITE) -> list[str]:
    found = named_places(question.split(), places_of(site), titles, stems)
    return [one.place.name + (f": {', '.join(one.parts)}" if any(one.parts) else "") for one in found]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("library", ["Library"]),
        ("registrar", ["Office of the Registrar"]),
        ("registrar office", ["Office of the Registrar"]),
        ("help desk", ["IT Help Desk"]),
        ("pool", ["Heron Center: Pool, lap swim"]),
        ("swim", ["Heron Center: Pool, lap swim"]),
        ("heron center climbing wall", ["Heron Center: Climbing wall"]),
        ("recreation", ["Heron Center"]),
        ("quarry café", ["The smaller places: Quarry Café"]),
        ("café", ["The smaller places: Quarry Café, Finch Café"]),
        ("library service desk", ["Library: Service desk"]),
    ],
)
def test_every_word_of_the_question_is_the_place_s(question: str, expected: list[str]) -> None:
    assert named(question) == expected


@pytest.mark.parametrize("question", ["gym", "finch", "library printer", "registrar phone", "smaller quarry"])
def test_another_word_leaves_it_open(question: str) -> None:
    assert named(question) == []


def test_one_of_several_libraries_is_not_the_library() -> None:
    law = [line("Law Library", url="law/")]
    assert named("library", site=law) == ["Law Library"]
    assert named("library", "Science Library", site=law) == []
    assert named("law library", "Science Library", site=law) == ["Law Library"]
    assert named("library", site=[*law, line("Science Library", url="science/")]) == []


def test_a_page_s_own_place_goes_before_another_page_s_mention() -> None:
    site = [line("Museum", url="list/", own=False), line("Museum", url="museum/")]
    found = named_places(["museum"], places_of(site), (), stems)
    assert [one.place.url for one in found] == ["https://u.example/museum/", "https://u.example/list/"]
