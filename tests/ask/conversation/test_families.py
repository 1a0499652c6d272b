"""Families of kinds of people, by the lexicon that ships."""

from __future__ import annotations

import pytest

from server.ask.conversation.families import families, kinds_for, names_a_kind
from server.messages.catalogue import shipped
from server.models import Passage


@pytest.mark.parametrize(
    "line",
    [
        "do grad students pay that deposit",
        "tuition for undergrads?",
        "I'm on an F-1 visa, can I work",
        "deadline for transfers",
        "out of state cost",
        "how long can faculty keep a book",
        "¿cuánto cuesta el posgrado?",
    ],
)
def test_a_line_that_says_for_whom_is_known(line: str) -> None:
    assert names_a_kind(line)


@pytest.mark.parametrize(
    "line",
    ["how much is tuition?", "when do I graduate", "when is the deadline", "¿cuánto cuesta la matrícula?"],
)
def test_a_line_for_anyone_names_no_kind(line: str) -> None:
    assert not names_a_kind(line)


def kinds(heading: str, title: str = "Tuition", audiences: tuple[str, ...] = ()) -> set[str]:
    return set(kinds_for(Passage(1, "u", title, heading, "text", audiences=audiences), families()["level"]))


def test_the_nearest_heading_says_for_whom_a_passage_is_then_the_title_then_its_page() -> None:
    assert kinds("Graduate tuition › Undergraduate students in graduate courses") >= {"undergraduate"}
    assert kinds("Undergraduate tuition › Fees") == {"undergraduate"}
    assert kinds("Fees", title="Graduate School") == {"graduate"}
    assert kinds("Fees", audiences=("graduate",)) == {"graduate"}
    assert kinds("Fees") == set()


def test_a_heading_may_be_for_several_kinds() -> None:
    assert kinds("Undergraduate and graduate tuition") == {"undergraduate", "graduate"}


@pytest.mark.parametrize("lang", ["en", "es"])
def test_every_kind_has_a_name_in_every_language(lang: str) -> None:
    texts = shipped().spoken(lang, "us")
    names = [texts.kind(kind.name) for kinds in families().values() for kind in kinds]
    assert len(set(names)) == len(names)
