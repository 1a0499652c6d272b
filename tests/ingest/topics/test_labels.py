from __future__ import annotations

from pathlib import Path

import pytest

from server.errors import BadInputError
from server.ingest.topics.labels import (
    Label,
    LabelRules,
    PrefixTopic,
    label_pages,
    load_topics,
    readable,
)
from server.settings import PROJECT

SITE = "https://www.example.edu"
EVERY = LabelRules(min_pages=1, min_chunks=1, min_subtopics=1)


def labels_of(*paths: str, table: tuple[PrefixTopic, ...] = (), rules: LabelRules = EVERY) -> list[Label]:
    """The label of each page, with five chunks a page."""
    return list(label_pages({SITE + path: 5 for path in paths}, table, rules).values())


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/", Label()),
        ("", Label()),
        ("/index.html", Label()),
        ("/map", Label()),
        ("/library/", Label("library")),
        ("/library/hours.html", Label("library")),
        ("/library/hours/", Label("library", "hours")),
        ("/academics/policies/repeat.html?print=1#top", Label("academics", "policies")),
        ("/academics/policies/old/repeat.html", Label("academics", "policies")),
        ("/scholarships-aid/fees.html", Label("scholarships aid")),
        ("/~bruce/index.html", Label("bruce")),
    ],
)
def test_the_first_directory_is_the_topic_and_the_second_the_subtopic(path: str, label: Label) -> None:
    assert labels_of(path) == [label]


def test_a_page_is_a_directory_where_other_pages_lie_below_it() -> None:
    assert labels_of("/library", "/library/hours", "/map") == [Label("library"), Label("library"), Label()]


@pytest.mark.parametrize(
    ("slug", "words"),
    [
        ("student-life", "student life"),
        ("Student%20Life", "student life"),
        ("studentLife", "student life"),
        ("MBA_program", "mba program"),
        ("a%2Fb", "a b"),
        ("~~", ""),
        ("año", "año"),
    ],
)
def test_slugs_are_made_readable(slug: str, words: str) -> None:
    assert readable(slug) == words


def test_a_topic_of_too_few_pages_or_chunks_is_none() -> None:
    rules = LabelRules(min_pages=3, min_chunks=16, min_subtopics=1)
    found = labels_of("/a/1.html", "/a/2.html", "/b/1.html", "/b/2.html", "/b/3.html", rules=rules)
    assert set(found) == {Label()}
    found = labels_of("/a/1.html", *(f"/b/{i}.html" for i in range(4)), rules=rules)
    assert found == [Label(), *[Label("b")] * 4]


def test_subtopics_are_used_where_there_are_enough_of_them() -> None:
    rules = LabelRules(min_pages=1, min_chunks=1, min_subtopics=3)
    found = labels_of("/a/x/", "/a/y/", "/a/z/", "/b/x/", "/b/y/", rules=rules)
    assert found == [Label("a", "x"), Label("a", "y"), Label("a", "z"), Label("b"), Label("b")]


def test_a_small_subtopic_does_not_count_and_its_pages_keep_the_topic() -> None:
    rules = LabelRules(min_pages=2, min_chunks=1, min_subtopics=2)
    found = labels_of("/a/x/1", "/a/x/2", "/a/y/1", "/a/y/2", "/a/z/1", rules=rules)
    assert found == [Label("a", "x")] * 2 + [Label("a", "y")] * 2 + [Label("a")]


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("/life/housing/halls.html", Label("student life", "housing")),
        ("/life/clubs.html", Label("student life")),
        ("/life/food/menu.html", Label("student life", "dining")),
        ("/news/2026/a.html", Label()),
        ("/other/x.html", Label("other")),
    ],
)
def test_the_longest_prefix_of_the_table_wins(tmp_path: Path, path: str, label: Label) -> None:
    table = load_topics(
        written(
            tmp_path,
            '[[topic]]\nprefix = "/life/"\ntopic = "student life"\n'
            '[[topic]]\nprefix = "/life/food/"\ntopic = "student life"\nsubtopic = "dining"\n'
            '[[topic]]\nprefix = "/news/"\ntopic = ""\n',
        )
    )
    assert labels_of(path, table=table) == [label]


def test_a_prefix_may_name_a_host() -> None:
    table = (PrefixTopic("https://library.example.edu/", "library"),)
    pages = {"https://library.example.edu/hours/today.html": 5, f"{SITE}/hours/today.html": 5}
    assert list(label_pages(pages, table, EVERY).values()) == [Label("library", "hours"), Label("hours")]


def written(folder: Path, text: str) -> Path:
    path = folder / "topics.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("topic = [", "not TOML"),
        ("[[rule]]\nprefix = '/a/'", "nothing but"),
        ("topic = 'a'", "nothing but"),
        ("[[topic]]\nprefix = 3\ntopic = 'a'", "Topic 1 of .* not a table of strings"),
        ("[[topic]]\nprefix = '/a/'", "takes a prefix and a topic"),
        ("[[topic]]\nprefix = ''\ntopic = 'a'", "takes a prefix and a topic"),
        ("[[topic]]\nprefix = '/a/'\ntopic = 'a'\nname = 'b'", "has name; it takes: prefix, subtopic, topic"),
        ("[[topic]]\nprefix = '/a/'\ntopic = 'a/b'", "has a / in its topic"),
        ("[[topic]]\nprefix = '/a/'\ntopic = ''\nsubtopic = 'b'", "a subtopic without a topic"),
        ("[[topic]]\nprefix = '/a/'\ntopic = 'a'\n" * 2, "the prefix '/a/' twice"),
    ],
)
def test_a_wrong_table_is_named_with_its_fault(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        load_topics(written(tmp_path, text))


def test_a_table_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        load_topics(tmp_path / "nowhere.toml")


def test_the_table_that_ships_can_be_read() -> None:
    assert load_topics(PROJECT / "corpus" / "topics.toml")
