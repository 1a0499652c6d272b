from __future__ import annotations

import pytest

from server.models import Citation
from server.models.text_fragments import link_to_text

URL = "https://www.larkmoor.example/library/"


@pytest.mark.parametrize(
    ("quote", "fragment"),
    [
        ("Opens at 8 a.m., daily", "Opens%20at%208%20a.m.%2C%20daily"),
        ("A drop-in clinic", "A%20drop%2Din%20clinic"),
        (
            "The library opens at eight every day but Sunday, when it opens at noon.",
            "The%20library%20opens%20at%20eight,when%20it%20opens%20at%20noon.",
        ),
        ("Saturday — Counter: Closed; Phone: Open", "Saturday-,Closed,Open"),
        ("Cum laude: 3.50", "Cum%20laude,3.50"),
        ("Hall: Maple — Lift: Not yet", "Maple-,Not%20yet"),
        ("1. Go early.\n2. Sign here.", "Go%20early.,Sign%20here."),
        ("Bring:\nyour card\na photograph", "Bring%3A,a%20photograph"),
        ("Come early.      Bring a card.", "Come%20early.,Bring%20a%20card."),
    ],
)
def test_a_link_leads_to_the_words(quote: str, fragment: str) -> None:
    assert link_to_text(URL, quote) == f"{URL}#:~:text={fragment}"


def test_a_page_with_a_fragment_keeps_it() -> None:
    assert link_to_text(f"{URL}#hours", "Open daily") == f"{URL}#hours:~:text=Open%20daily"


@pytest.mark.parametrize(("url", "quote"), [(URL, ""), (URL, "  \n "), ("javascript:alert(1)", "Open daily")])
def test_without_words_or_a_page_of_the_web_it_is_the_address(url: str, quote: str) -> None:
    assert link_to_text(url, quote) == url


def test_a_citation_has_its_link() -> None:
    assert Citation(1, URL, "Library", "", "Open daily").href == f"{URL}#:~:text=Open%20daily"
