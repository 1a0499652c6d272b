"""What editors set, in words, and what a draft changes."""

from __future__ import annotations

from typing import Any

import pytest

from admin.curation.parts import PARTS, changes, items, key_words, new_id, with_item, without_item

EMPTY: dict[str, Any] = {part.key: [] for part in PARTS}
NEWS = {"id": "news", "kind": "prefix", "value": "/news/"}
BY_KEY = {part.key: part for part in PARTS}


@pytest.mark.parametrize(
    ("key", "item", "said"),
    [
        ("leave_out", NEWS, "Pages whose address begins with /news/"),
        ("leave_out", {"kind": "older", "value": "36"}, "Pages not changed for 36 months"),
        (
            "favours",
            {"kind": "pin", "page": "https://e.edu/p", "phrase": "parking permit", "topic": None},
            "Always first: https://e.edu/p, for questions with the words “parking permit”",
        ),
        (
            "wordings",
            {"says": ["dorm", "dorms"], "means": "residence hall"},
            "Visitors say “dorm” or “dorms”, the pages write “residence hall”",
        ),
        (
            "labels",
            {"page": "https://e.edu/p", "kind": "news", "audiences": None},
            "https://e.edu/p is news",
        ),
        (
            "labels",
            {"page": "https://e.edu/g/*", "kind": "event", "audiences": ["graduate", "alumni"]},
            "Pages that begin with https://e.edu/g/ are an event and are for graduate students, alumni",
        ),
        (
            "labels",
            {"page": "https://e.edu/p", "kind": None, "audiences": []},
            "https://e.edu/p is for anyone",
        ),
        (
            "curated",
            {
                "phrasings": ["Can I borrow one?"],
                "topic": None,
                "text": "Yes, at the **Gatehouse**: 2 * 3 days.",
            },
            "“Can I borrow one?”: Yes, at the Gatehouse: 2 * 3 days.",
        ),
        ("contacts", {"label": "Desk", "topic": "aid", "phone": "5"}, "Desk (about aid): 5"),
    ],
)
def test_an_item_says_what_it_does(key: str, item: dict[str, Any], said: str) -> None:
    assert BY_KEY[key].says(item) == said


def test_items_are_added_put_in_place_and_taken_out() -> None:
    part = BY_KEY["leave_out"]
    one = with_item(EMPTY, part, NEWS)
    other = NEWS | {"value": "/old/"}
    assert with_item(one, part, other, instead_of="news")["leave_out"] == [other]
    assert list(changes(one, with_item(one, part, other, instead_of="news"))) == [
        ("changed", "Leave out pages: Pages whose address begins with /old/")
    ]
    assert without_item(one, part, "news") == EMPTY
    asked = with_item(EMPTY, BY_KEY["suggestions"], {"id": "Q?", "text": "Q?"})
    assert asked["suggestions"] == ["Q?"]
    assert items(asked, BY_KEY["suggestions"])[0]["id"] == "Q?"


def test_an_id_is_made_of_the_text_and_taken_by_none() -> None:
    assert new_id("/News & Events/", []) == "news-events"
    assert new_id("news", ["news", "news-2"]) == "news-3"
    assert new_id("…", []) == "one"


def test_a_first_guess_at_a_phrase_leaves_out_the_small_words() -> None:
    assert key_words("How much does a parking permit cost for the year?") == "parking permit cost year"
