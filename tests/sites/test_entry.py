from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from server.errors import BadInputError
from server.models import Phrase
from server.sites.entry import Entry


def entry(**values: Any) -> Entry:
    return Entry(values, "sites.toml, site main")


@pytest.mark.parametrize(
    ("read", "value", "sentence"),
    [
        (Entry.text, 3, "key is 3; it takes text of one line."),
        (Entry.text, "two\nlines", r"key is 'two\nlines'; it takes text of one line."),
        (Entry.texts, "a", "key is 'a'; it takes a list."),
        (Entry.texts, [1], "key is [1]; it takes a list of texts."),
        (Entry.phrase, {"english": "x"}, "key is {'english': 'x'}; it takes a text, or texts by language:"),
        (Entry.phrase, {"en": 1}, "key is {'en': 1}; it takes a text, or texts by language:"),
        (Entry.phrases, [[]], "key is []; it takes a text, or texts by language:"),
        (Entry.address, "www.example.edu", "key is 'www.example.edu'; it takes an address such as"),
        (Entry.address, "javascript:alert(1)", "key is 'javascript:alert(1)'; it takes an address such as"),
        (Entry.address, "https://[", "key is 'https://['; it takes an address such as"),
        (Entry.table, "x", "key is no table."),
        (Entry.entries, ["x"], "key[1] is no table."),
    ],
)
def test_a_fault_names_the_file_the_site_and_the_key(
    read: Callable[[Entry, str], object], value: Any, sentence: str
) -> None:
    with pytest.raises(BadInputError, match=re.escape(f"sites.toml, site main: {sentence}")):
        read(entry(key=value), "key")


@pytest.mark.parametrize("value", [0, 11, "5", 5.0, True, None])
def test_a_whole_number_is_one_between_the_two(value: Any) -> None:
    with pytest.raises(BadInputError, match="it takes a whole number from 1 to 10"):
        entry(key=value).whole("key", 5, 1, 10)
    assert entry(key=10).whole("key", 5, 1, 10) == 10
    assert entry().whole("key", 5, 1, 10) == 5


def test_a_choice_is_one_of_those_allowed() -> None:
    assert entry(key="b").choice("key", ("a", "b"), "a") == "b"
    assert entry().choice("key", ("a", "b"), "") == ""
    with pytest.raises(BadInputError, match="key is 'c'; it takes one of: a, b"):
        entry(key="c").choice("key", ("a", "b"), "a")


def test_a_form_is_kept_to() -> None:
    digits = re.compile(r"\d+")
    assert entry(key="12").matching("key", digits, "digits") == "12"
    assert entry().matching("key", digits, "digits") == ""
    with pytest.raises(BadInputError, match="key is 'x'; it takes digits"):
        entry(key="x").matching("key", digits, "digits")


def test_a_phrase_is_for_every_language_or_by_language() -> None:
    assert entry(key="Hello ").phrase("key") == Phrase((("", "Hello"),))
    assert entry(key={"en": "Hello", "es": "Hola"}).phrase("key").said_in("es") == "Hola"
    assert entry().phrase("key") == Phrase()
    assert entry(key={"en": " "}).phrase("key") == Phrase()


def test_a_key_below_is_named_with_the_way_to_it() -> None:
    [below] = entry(topics={"aid": {"contacts": [{"url": "x"}]}}).tables("topics").values()
    [contact] = below.entries("contacts")
    with pytest.raises(BadInputError, match=re.escape("site main: topics.aid.contacts[1].url is 'x'")):
        contact.address("url")


def test_a_key_that_nobody_knows_is_refused() -> None:
    table = entry(name="U", nmae="typo")
    table.text("name")
    with pytest.raises(BadInputError, match="it has 'nmae'; it takes: name"):
        table.finish()
