import pytest

from server.ingest import anchors
from server.ingest.anchors import AnchorTexts, says_nothing
from server.models import Document

SITE = "https://www.brackwater.example"


def counted(*pages: tuple[tuple[str, str], ...]) -> AnchorTexts:
    """The links of some pages, each (path or URL, text)."""
    texts = AnchorTexts()
    for number, links in enumerate(pages):
        whole = tuple((url if "://" in url else SITE + url, text) for url, text in links)
        texts.add(Document(f"{SITE}/{number}", "T", (), links=whole))
    return texts


def test_a_pages_texts_are_those_that_point_to_it_the_most_frequent_first() -> None:
    menu = ("/library/hours", "Library hours")
    texts = counted((menu,), (menu, ("/library/hours", "When we are open"), ("/fees", "Fees")), (menu,))
    assert texts.of_pages([f"{SITE}/library/hours"], {}) == {
        f"{SITE}/library/hours": ("Library hours", "When we are open")
    }


def test_a_page_counts_once_for_a_text_however_often_it_says_it() -> None:
    texts = counted((("/a", "Often"), ("/a", "Often")), (("/a", "Twice"),), (("/a", "Twice"),))
    assert texts.of_pages([f"{SITE}/a"], {})[f"{SITE}/a"] == ("Twice", "Often")


def test_spellings_that_differ_in_case_are_one_text() -> None:
    texts = counted((("/a", "Fees"),), (("/a", "FEES"),), (("/a", "Fees"),))
    assert texts.of_pages([f"{SITE}/a"], {})[f"{SITE}/a"] == ("Fees",)


@pytest.mark.parametrize(
    "url",
    [
        "http://www.brackwater.example/a/",
        "https://brackwater.example/a",
        f"{SITE}/a/index.html",
        f"{SITE}/moved",
        f"{SITE}/moved/twice",
        f"{SITE}/copy",
    ],
)
def test_other_addresses_of_a_page_count_for_it(url: str) -> None:
    same = {
        f"{SITE}/moved": f"{SITE}/a/",
        f"{SITE}/moved/twice": f"{SITE}/moved",
        f"{SITE}/copy": f"{SITE}/a/",
    }
    assert counted(((url, "Fees"),)).of_pages([f"{SITE}/a/"], same) == {f"{SITE}/a/": ("Fees",)}


def test_redirects_that_lead_in_a_circle_end() -> None:
    same = {f"{SITE}/x": f"{SITE}/y", f"{SITE}/y": f"{SITE}/x"}
    assert counted((("/x", "Fees"),)).of_pages([f"{SITE}/a"], same) == {}


def test_a_text_that_points_to_very_many_pages_tells_nothing_of_any() -> None:
    many = [f"/course/{n}" for n in range(anchors.MANY_PAGES)]
    texts = counted(tuple((path, "Course page") for path in many), ((many[0], "Knots"),))
    assert texts.of_pages([SITE + path for path in many], {}) == {SITE + many[0]: ("Knots",)}


def test_a_page_has_no_more_than_so_many_texts() -> None:
    links = tuple(("/a", f"The wording {letter}") for letter in "abcdefghijkl")
    assert len(counted(links).of_pages([f"{SITE}/a"], {})[f"{SITE}/a"]) == anchors.MOST_ANCHORS


def test_when_there_are_too_many_pairs_known_ones_are_still_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "MAX_PAIRS", 2)
    texts = counted((("/a", "One"), ("/a", "Two")), (("/a", "Three"), ("/a", "Two")))
    assert texts.of_pages([f"{SITE}/a"], {})[f"{SITE}/a"] == ("Two", "One")


NOTHING = """here; Click here; Read more; next; Next:; PDF; www.example.edu; a@example.edu; 12; Home; »
this page; More information; aquí; Haga clic aquí; Leer más; siguiente; fees.html"""
SOMETHING = """Library hours; Read more about tuition; Ph.D.; GPA; Apply now; CS 101; Campus map; Becas
Here be dragons; Next steps for admitted students; Página de becas"""


@pytest.mark.parametrize("text", NOTHING.replace("\n", "; ").split("; "))
def test_texts_that_say_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "Library hours",
        "Read more about tuition",
        "Ph.D.",
        "GPA",
        "Apply now",
        "CS 101",
        "Campus map",
        "Becas",
        "Here be dragons",
        "Next steps for admitted students",
        "Página de becas",
    ],
)
def test_texts_that_say_something(text: str) -> None:
    assert not says_nothing(text)
