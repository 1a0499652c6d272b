from __future__ import annotations

import pytest

from server.ask.normalize import Filters
from server.errors import BadInputError
from server.models import Scope


def test_nothing_said_limits_nothing() -> None:
    assert Filters().scope() is None
    assert Filters(prefix="", lang="", since="").scope() is None


def test_everything_said_is_in_the_scope() -> None:
    filters = Filters(
        topics=["a/b", "a/c", "d"],
        hosts=["www.example.edu"],
        prefix="https://www.example.edu/x",
        lang="en",
        since="2026-01-01",
        until="2026-12-31",
        archived=False,
    )
    assert filters.scope() == Scope(
        {"a": ("b", "c"), "d": ()},
        ("www.example.edu",),
        "https://www.example.edu/x",
        "en",
        "2026-01-01",
        "2026-12-31",
        False,
    )


def test_a_whole_topic_takes_its_sub_topics_in() -> None:
    assert Filters(["a/b", "a"]).scope() == Scope({"a": ()})


@pytest.mark.parametrize(
    ("filters", "sentence"),
    [
        (Filters(since="yesterday"), "since is 'yesterday'; it takes a day"),
        (Filters(until="2026-13-01"), "until is '2026-13-01'"),
        (Filters(lang="English"), "lang is 'English'; it takes an ISO 639 code"),
    ],
)
def test_what_cannot_be_used_is_named(filters: Filters, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        filters.scope()
