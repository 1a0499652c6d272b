import pytest

from server.ingest.near_duplicates import NearDuplicates

CALENDAR = (
    "Fall {year}: classes begin on Monday, August {day}. Students may add and drop courses in the two weeks "
    "that follow, and after that they need the signature of their adviser and of the teacher. The last day "
    "to leave a course with a W is in early November. The library and the offices are closed on public "
    "holidays, and the dining halls keep shorter hours. Grades are due from the faculty at noon on the "
    "fourth day after the last examination."
)
PROFILE = "Professor {name} has kept this page since the first day. " + CALENDAR.format(year=2026, day=31)


def found(first: str, second: str, jaccard: float = 0.8) -> str | None:
    pages = NearDuplicates(jaccard)
    pages.keep("https://a.example/", pages.like(first))
    return pages.like(second).url


def test_a_page_with_a_word_changed_is_nearly_the_same() -> None:
    text = CALENDAR.format(year=2026, day=31)
    assert found(text, text.replace("shorter", "reduced")) == "https://a.example/"


def test_calendars_of_two_years_are_two_pages() -> None:
    assert found(CALENDAR.format(year=2026, day=31), CALENDAR.format(year=2025, day=31)) is None


@pytest.mark.parametrize(("one", "other"), [("two weeks", "three weeks"), ("closed", "not closed")])
def test_numbers_in_words_and_negations_count_as_numbers(one: str, other: str) -> None:
    text = CALENDAR.format(year=2026, day=31)
    assert found(text, text.replace(one, other)) is None


def test_two_peoples_pages_from_one_template_are_two_pages() -> None:
    assert found(PROFILE.format(name="Noor Haddadi"), PROFILE.format(name="Lucien Barrow")) is None


def test_an_addition_alone_is_no_other_page() -> None:
    text = CALENDAR.format(year=2026, day=31)
    assert found(text, text + " Print this page.") == "https://a.example/"


def test_of_several_alike_the_same_is_named_each_time() -> None:
    text = CALENDAR.format(year=2026, day=31)
    pages = NearDuplicates(0.8)
    for url in ("https://b.example/", "https://a.example/"):
        pages.keep(url, pages.like(text))
    assert pages.like(text).url == "https://a.example/"


FRAMED = "Posted in news by the press office, 2 comments. " + CALENDAR.format(year=2026, day=31)


@pytest.mark.parametrize(
    ("title", "url", "same"),
    [
        ("Fall calendar", "https://b.example/post", True),
        ("Another calendar", "https://b.example/post", False),
        ("Fall calendar", "https://a.example/post", False),
    ],
)
def test_a_post_that_another_host_carries_in_its_frame_is_one(title: str, url: str, same: bool) -> None:
    pages = NearDuplicates(0.97)
    pages.keep("https://a.example/", pages.like(FRAMED, "Fall calendar", "https://a.example/"))
    found = pages.like(CALENDAR.format(year=2026, day=31), title, url).url
    assert found == ("https://a.example/" if same else None)


def test_a_post_that_says_more_elsewhere_is_two() -> None:
    pages, url = NearDuplicates(0.97), "https://a.example/"
    pages.keep(url, pages.like(CALENDAR.format(year=2026, day=31), "Fall calendar", url))
    assert pages.like(FRAMED, "Fall calendar", "https://b.example/").url is None


@pytest.mark.parametrize("text", ["", "one", "no more than four"])
def test_texts_shorter_than_a_run_of_words_are_compared_too(text: str) -> None:
    assert found(text, text) == "https://a.example/"


@pytest.mark.parametrize("jaccard", [0.0, 0.96, 1.0, 2.0])
def test_every_threshold_can_be_set(jaccard: float) -> None:
    text = CALENDAR.format(year=2026, day=31)
    assert (found(text, text, jaccard) is None) == (jaccard > 1)
