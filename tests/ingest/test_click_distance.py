import pytest

from server.ingest import click_distance
from server.ingest.click_distance import ClickDistances
from server.models import Document

SITE = "https://www.brackwater.example"


def linked(pages: dict[str, tuple[str, ...]], site: str = SITE) -> ClickDistances:
    """Pages, by path, with the paths or URLs that each links to."""
    distances = ClickDistances()
    for path, targets in pages.items():
        links = tuple((url if "://" in url else site + url, "a link") for url in targets)
        distances.add(Document(site + path, "T", (), links=links))
    return distances


def nearer(distances: ClickDistances, *paths: str, same: dict[str, str] | None = None) -> dict[str, int]:
    found = distances.of_pages([SITE + path for path in paths], same or {})
    return {url.removeprefix(SITE): count for url, count in found.items()}


def test_it_is_the_fewest_clicks_that_count_and_how_many_pages_are_nearer_by_them() -> None:
    pages = {"/": ("/a", "/b"), "/a": ("/c",), "/c": ("/b", "/d"), "/b": (), "/d": ("/",)}
    assert nearer(linked(pages), *pages) == {"/": 0, "/a": 1, "/b": 1, "/c": 3, "/d": 4}


def test_a_page_that_no_link_leads_to_has_none() -> None:
    assert nearer(linked({"/": ("/a",), "/a": (), "/lost": ("/a",)}), "/", "/a", "/lost") == {"/": 0, "/a": 1}


def test_a_site_without_its_front_door_has_none() -> None:
    assert nearer(linked({"/a": ("/b",), "/b": ()}), "/a", "/b") == {}


def test_a_door_that_was_left_out_of_the_snapshot_leads_in_all_the_same() -> None:
    assert nearer(linked({"/": ("/a",), "/a": ("/b",)}), "/a", "/b") == {"/a": 0, "/b": 1}


@pytest.mark.parametrize(
    "link", ["/a/", "/a/index.html", "http://www.brackwater.example/a", "/moved", "/moved/twice"]
)
def test_other_addresses_of_a_page_lead_to_it(link: str) -> None:
    same = {f"{SITE}/moved": f"{SITE}/a", f"{SITE}/moved/twice": f"{SITE}/moved"}
    assert nearer(linked({"/index.html": (link,), "/a": ()}), "/", "/a", same=same) == {"/": 0, "/a": 1}


def test_a_small_host_has_no_front_door_of_its_own() -> None:
    distances = linked({"/": tuple(f"/{n}" for n in range(9))})
    distances.add(
        Document("https://lab.brackwater.example/", "Lab", (), links=(("https://x.example/", "x"),))
    )
    urls = ["https://lab.brackwater.example/", *(f"{SITE}/{n}" for n in range(9))]
    assert "https://lab.brackwater.example/" not in distances.of_pages(urls, {})


def test_no_more_links_are_remembered_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(click_distance, "MAX_LINKS", 2)
    assert nearer(linked({"/": ("/a", "/b"), "/b": ("/c",)}), "/a", "/c") == {"/a": 0}
