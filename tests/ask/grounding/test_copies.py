"""A page's sentence that was copied badly is said as the page has it."""

from __future__ import annotations

import pytest

from server.ask.grounding.copies import whole_sentence
from server.ask.grounding.source import Source
from tests.ask.grounding.lexicon import LEXICON, passage

TOURS = passage(
    "We tour by video on the first Wednesday at 7 p.m., in English, and on the second at 6 p.m. in French. "
    "Ask us anything.\n"
    "Office hours are those of fall; they do not hold in finals week, when hours are announced online.\n"
    "Fall — Drop until: October 9; Withdraw until: November 20\n"
    "You pay by the week, up to the tenth; after that the whole term is owed. "
    "Bring your card, the form, the fee in cash, a stamped envelope and a photograph of you.",
    "Visit campus",
)


def whole(sentence: str) -> str | None:
    found = whole_sentence(Source(sentence, LEXICON), [Source.of(TOURS, LEXICON)])
    return found[0] if found else None


@pytest.mark.parametrize(
    ("cut", "begins", "ends"),
    [
        (
            "We tour by video on the first Wednesday at 7 p.m., in English, and on the second at 6 p.m.",
            "We tour by video",
            "in French.",
        ),
        (
            "Office hours are those of fall, when hours are announced online.",
            "Office hours are those of fall;",
            "when hours are announced online.",
        ),
        ("You pay for the week, up to the tenth; after that the term is owed.", "You pay by", "is owed."),
        ("You pay by the week, up to the tenth.", "You pay by the week", "the whole term is owed."),
        ("Office hours hold in finals week.", "Office hours are those of fall;", "announced online."),
        ("Bring your card.", "Bring your card, the form,", "a photograph of you."),
        ("Bring your card, the form", "Bring your card, the form,", "a photograph of you."),
    ],
)
def test_what_is_copied_badly_is_said_as_the_page_has_it(cut: str, begins: str, ends: str) -> None:
    found = whole(cut)
    assert found is not None
    assert (found.startswith(begins), found.endswith(ends)) == (True, True)


@pytest.mark.parametrize(
    "sentence",
    [
        "Ask us anything.",
        "Withdraw until: November 20",
        "Tours are by video.",
        "In French, we tour by video on the second Wednesday at 6 p.m., and on the first at 7 in English.",
        "",
    ],
)
def test_a_whole_one_a_cell_a_few_words_and_words_of_its_own_stay(sentence: str) -> None:
    assert whole(sentence) is None
