"""Which URLs are alike, and when a shape is left alone."""

from __future__ import annotations

from server.ingest.crawl.urls import TrapWatch, repeats_itself, shape_of, text_key


def test_numbers_and_the_order_of_parameters_do_not_make_a_shape() -> None:
    assert shape_of("http://h/2024/05/01/") == shape_of("http://h/1999/12/31/")
    assert shape_of("http://h/list?b=1&a=2") == shape_of("http://h/list?a=x&b=y")
    assert shape_of("http://h/list?a=1") != shape_of("http://h/list")


def test_a_view_that_hangs_off_every_page_is_one_shape() -> None:
    assert shape_of("http://h/event/talk/?ical=1") == shape_of("http://h/event/party/?ical=1")


def test_pages_by_name_are_shapes_of_their_own() -> None:
    assert shape_of("http://h/people/ada") != shape_of("http://h/people/grace")


def test_a_path_that_repeats_itself() -> None:
    assert repeats_itself("http://h/x/a/b/a/b/a/b")
    assert repeats_itself("http://h/a/a/a")
    assert not repeats_itself("http://h/a/b/a/b")
    assert not repeats_itself("http://h/news/2024/news")


def test_two_empty_months_have_the_same_text() -> None:
    assert text_key("No events in March 2027. Mon 1") == text_key("no events in April 2028 — Tue 30")
    assert text_key("Chess club in March") != text_key("Rowing in March")


def test_a_row_of_misses_closes_a_shape_and_news_open_the_count_again() -> None:
    watch = TrapWatch(limit=3)
    assert [watch.note("/s", text) for text in ("a", "a", None, "b", None, "a")] == [0, 1, 2, 0, 1, 2]
    assert not watch.is_closed("/s")
    watch.note("/s", None)
    assert watch.is_closed("/s")
    assert not watch.is_closed("/other")


def test_a_watch_goes_on_where_it_was() -> None:
    watch = TrapWatch.resume(2, ["a"], {"/s": 1})
    watch.note("/s", "a")
    assert watch.is_closed("/s")
