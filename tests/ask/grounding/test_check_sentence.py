from __future__ import annotations

import pytest

from server.ask.grounding.check_sentence import Evidence, check_sentence
from server.models import Passage
from tests.ask.grounding.lexicon import LEXICON, passage

LIBRARY = passage(
    "Friday — Building: 7:30 a.m.–8 p.m.; Service desk: 8 a.m.–6 p.m.\n"
    "Saturday — Building: 10 a.m.–8 p.m.; Service desk: noon–5 p.m.\n"
    "Late books cost nothing, but we do not lend laptops to visitors. Ask Philippa Osgood, (802) 555-0155.",
    "Finch Library",
    "Hours",
)


def reasons(sentence: str, *passages: Passage, site_name: str = "") -> list[tuple[str, str]]:
    verdict = check_sentence(sentence, passages or (LIBRARY,), Evidence(LEXICON, site_name=site_name), [1])
    assert verdict.supported is not bool(verdict.findings)
    return [(finding.reason, finding.text) for finding in verdict.findings]


@pytest.mark.parametrize(
    "sentence",
    [
        "The library building is open on Fridays from 7:30 AM to 8 PM.",
        "On Saturday the service desk of the library opens at 12:00.",
        "Laptops are not lent to visitors.",
        "Ask Osgood at 802-555-0155.",
        "late books cost nothing, but we do not lend laptops to visitors",
    ],
)
def test_what_the_passage_says_is_supported(sentence: str) -> None:
    assert reasons(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The library building is open on Fridays from 7:30 AM to 9 PM.", ("missing_fact", "9 PM")),
        ("On Saturday the service desk of the library closes at 6 p.m.", ("wrong_place", "6 p.m.")),
        ("Laptops are lent to visitors.", ("contradicted", "Laptops are lent to visitors.")),
        ("You may ask Philippa Moor.", ("missing_fact", "Philippa Moor")),
        ("Ask at https://evil.example/login for late books.", ("foreign_link", "https://evil.example/login")),
        ("Zebras graze quietly in meadows.", ("unsupported", "")),
    ],
)
def test_what_it_does_not_say_is_not(sentence: str, expected: tuple[str, str]) -> None:
    assert expected in reasons(sentence)


@pytest.mark.parametrize("quoted", ['"do not lend laptops"', "“service desk”", "«Late books»"])
def test_what_stands_in_quotation_marks_stands_in_the_page(quoted: str) -> None:
    assert ("missing_fact", quoted[1:-1]) not in reasons(f"The library says {quoted} of laptops.")
    altered = quoted[:-2] + "z" + quoted[-1]
    assert ("missing_fact", altered[1:-1]) in reasons(f"The library says {altered} of laptops.")


def test_a_value_is_said_no_more_often_than_the_page_says_it() -> None:
    garbled = "Service desk: 8 a.m.–6 p.m., noon–5 p.m., 8 a.m.–6 p.m."
    assert any(reason == "missing_fact" for reason, _ in reasons(garbled))
    once = "The service desk is open from noon to 5 p.m. on Saturday."
    assert reasons(once) == []
    twice = "The building closes at 8 p.m. on Friday and at 8 p.m. on Saturday."
    assert ("missing_fact", "8 p.m.") not in reasons(twice)  # so does the page


def test_without_a_passage_nothing_is_supported() -> None:
    verdict = check_sentence("The library is open.", [], Evidence(LEXICON))
    assert [finding.reason for finding in verdict.findings] == ["no_citation"]


def test_a_cited_page_may_be_linked() -> None:
    assert reasons(f"The library building opens at 10 on Saturday, see {LIBRARY.url}.") == []


def test_the_sites_own_name_needs_no_source() -> None:
    sentence = "The library building of Moor University opens at 10 a.m. on Saturday."
    assert reasons(sentence) == [("missing_fact", "Moor University")]
    assert reasons(sentence, site_name="Moor University") == []


def test_a_sentence_may_join_two_passages() -> None:
    parking = passage("Visitors park in Lot C for $4 a day.", number=2)
    sentence = "Visitors park in Lot C for $4 a day, and the library building opens at 10 a.m. on Saturday."
    assert reasons(sentence, LIBRARY, parking) == []
    assert reasons(sentence, parking)[0][0] == "missing_fact"


def test_the_threshold_can_be_set() -> None:
    sentence = "The library building is open on Fridays from 7:30 AM to 8 PM."
    strict = Evidence(LEXICON, threshold=1.01)
    [finding] = check_sentence(sentence, [LIBRARY], strict, [1]).findings
    assert finding.reason == "unsupported"
    assert finding.detail.endswith("is below 1.01")
    assert check_sentence(sentence, [LIBRARY], Evidence(LEXICON, threshold=0.0), [1]).supported


def test_a_passage_is_read_once() -> None:
    grounds = Evidence(LEXICON)
    assert grounds.source(LIBRARY) is grounds.source(LIBRARY)
