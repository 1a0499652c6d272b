from collections.abc import Sequence
from dataclasses import replace

import pytest

from server.ingest import boilerplate
from server.ingest.boilerplate import Boilerplate
from server.models import Block, Document, Section

SITE = "https://www.brackwater.example"
NAME = "Brackwater College"
CONTACT = "The one-stop desk is in Quarry Hall 4."


def page(number: int, *texts: str, **more: object) -> Document:
    own = Block("paragraph", f"What page {number} says in its own words.")
    blocks = (own, *(Block("paragraph", text) for text in texts))
    url = f"{SITE}/{number}" if number else f"{SITE}/"
    values = {"title": f"Page {number}", "sections": (Section((), blocks),), **more}
    return Document(url, **values)  # type: ignore[arg-type]  # a test's own words


def cleaned(pages: Sequence[Document]) -> list[Document]:
    return list(Boilerplate().cleaned(pages))


def texts_of(document: Document) -> list[str]:
    return [block.text for section in document.sections for block in section.blocks]


def test_what_many_pages_repeat_is_left_out_of_each() -> None:
    pages = [page(n, "← previous next →", "Share this: Tweet") for n in range(10)]
    assert [len(texts_of(one)) for one in cleaned(pages)] == [1] * 10


def test_what_says_something_and_stands_on_most_pages_is_kept_by_the_first() -> None:
    found = cleaned([page(n, CONTACT) for n in range(10)])
    assert [CONTACT in texts_of(one) for one in found] == [True] + [False] * 9


def test_a_fact_that_half_of_the_pages_share_stays_on_each() -> None:
    time = "Time: 4 p.m. to 5 p.m."
    found = cleaned([page(n, *[time] * (n % 2)) for n in range(20)])
    assert [time in texts_of(one) for one in found] == [False, True] * 10


def test_a_box_at_the_side_of_several_pages_is_kept_by_the_first() -> None:
    """An office has it on all of its pages, which are few of the site's."""
    box = Section(("Contact",), (Block("paragraph", CONTACT),), beside=True)
    offices = [page(n, sections=(*page(n).sections, *[box] * (n in {2, 5, 6}))) for n in range(20)]
    assert [n for n, one in enumerate(cleaned(offices)) if CONTACT in texts_of(one)] == [2]


def test_a_small_site_is_left_alone() -> None:
    pages = [page(n, "Share this: Tweet", title=f"{n} | {NAME}") for n in range(boilerplate.LEAST_PAGES - 1)]
    assert cleaned(pages) == pages


def test_what_is_a_pages_only_text_stays() -> None:
    alone = (Section((), (Block("paragraph", "Share this: Tweet"),)),)
    pages = [page(n, "Share this: Tweet") for n in range(10)]
    *_, last = cleaned([*pages, page(10, sections=alone)])
    assert texts_of(last) == ["Share this: Tweet"]


def test_a_section_of_links_under_a_heading_of_every_page_is_left_out() -> None:
    def with_related(n: int) -> Document:
        posts = (f"Post {n}", f"Post {n + 1}")
        related = Section(("Related posts",), (Block("list", "\n".join(posts)),))
        links = tuple((f"{SITE}/{post}", post) for post in posts)
        return page(n, sections=(*page(n).sections, related), links=links)

    assert all("Post" not in one.text for one in cleaned([with_related(n) for n in range(10)]))


def test_the_sites_name_above_every_page_is_no_heading_of_a_passage() -> None:
    pages = [
        page(n, sections=(Section((NAME, f"On {n}"), (Block("paragraph", f"Text {n}"),)),)) for n in range(10)
    ]
    assert [one.sections[0].heading_path for one in cleaned(pages)] == [(f"On {n}",) for n in range(10)]


@pytest.mark.parametrize("title", ["Fees {} | " + NAME, NAME + " – Fees {}", "Fees {} @ brackwater college"])
def test_the_sites_name_leaves_the_titles(title: str) -> None:
    found = cleaned([page(n, title=title.format(n)) for n in range(10)])
    assert [one.title for one in found] == [f"Fees {n}" for n in range(10)]


def test_a_title_that_is_the_sites_name_alone_gives_way_to_what_else_the_page_calls_itself() -> None:
    pages = [page(n, title=NAME, head_title=f"Fees {n} | {NAME}") for n in range(10)]
    assert [one.title for one in cleaned(pages)] == [f"Fees {n}" for n in range(10)]


def test_a_start_page_keeps_the_sites_name() -> None:
    pages = [page(n, title=f"{f'Fees {n}' if n else 'Home'} | {NAME}") for n in range(10)]
    assert cleaned(pages)[0].title == f"Home | {NAME}"


def test_a_part_of_a_few_titles_stays() -> None:
    pages = [page(n, title=f"Fees {n} | {'Bursar' if n < 3 else f'Office {n}'}") for n in range(12)]
    assert [one.title for one in cleaned(pages)] == [one.title for one in pages]


def test_a_title_says_which_part_of_the_site_a_page_is_of() -> None:
    def hours(n: int, part: str) -> Document:
        return page(n, title="Hours", head_title=f"Hours | {part} | {NAME}")

    pages = [page(n, head_title=f"Page {n} | {NAME}") for n in range(40)]
    parts = [hours(n, "University Library" if n < 45 else "Writing Center") for n in range(40, 50)]
    found = cleaned([*pages, *parts, hours(50, "Only Here")])
    assert {one.title for one in found[40:45]} == {"Hours – University Library"}
    assert {one.title for one in found[45:50]} == {"Hours – Writing Center"}
    assert [one.title for one in found[:40]] == [one.title for one in pages]
    assert found[50].title == "Hours"  # what no other page calls itself may be anything


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("Graduate policies: Filing fee", "Graduate policies: Filing fee"),
        ("GRADUATE POLICIES – Leave", "GRADUATE POLICIES – Leave"),
        ("Graduate policies apply to all", "Graduate policies"),
        ("Graduate policies: they hold for all who study here.", "Graduate policies"),
        ("Filing fee", "Graduate policies"),
    ],
)
def test_the_line_at_a_pages_top_says_which_of_several_it_is(first: str, title: str) -> None:
    [found] = cleaned([Document(SITE, "Graduate policies", (Section((), (Block("paragraph", first),)),))])
    assert found.title == title


def test_pages_of_a_sub_domain_keep_its_name() -> None:
    def on(host: str, n: int, name: str) -> Document:
        title = f"Page {n}"
        return replace(page(n, title=title, head_title=f"{title} – {name}"), url=f"https://{host}/{n}")

    pages = [*(page(n, head_title=f"Page {n} | {NAME}") for n in range(1, 11))]
    library = [on("library.brackwater.example", n, "Harbour Library") for n in range(1, 11)]
    assert [one.title for one in cleaned([*pages, *library])][9:11] == ["Page 10", "Page 1 – Harbour Library"]
    assert cleaned(library)[0].title == "Page 1"  # alone it is the site
    numbered = [replace(one, url=one.url.replace(one.url.split("/")[2], "10.0.0.7:80")) for one in library]
    assert cleaned([*pages, *numbered])[-1].title == "Page 10"


def test_a_description_that_is_the_sites_own_is_one_pages() -> None:
    pages = [page(n, description="A college by the sea." if n < 5 else f"About {n}.") for n in range(10)]
    found = [one.description for one in cleaned(pages)]
    assert found == ["A college by the sea.", "", "", "", "", *(f"About {n}." for n in range(5, 10))]


def test_pages_after_the_sample_are_cleaned_by_it_and_the_order_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boilerplate, "SAMPLE_PAGES", 10)
    stream = iter([page(n, "Share this: Tweet") for n in range(30)])
    coming = Boilerplate().cleaned(stream)
    first = next(coming)
    assert (first.url, len(list(stream))) == (f"{SITE}/", 20)  # no more was read than the sample
    assert [one.url for one in coming] == [f"{SITE}/{n}" for n in range(1, 10)]


def test_no_more_is_held_than_so_many_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boilerplate, "HELD_CHARS", 1)
    pages = [page(n) for n in range(3)]
    assert cleaned(pages) == pages


@pytest.mark.parametrize(
    ("hosts", "name"),
    [
        (("https://rowing.x.edu", "https://www.x.edu"), NAME),
        (("https://rowing.x.edu", "https://x.edu"), NAME),
        (("https://rowing.x.edu",), "Rowing"),
    ],
)
def test_a_parts_own_host_names_no_university(hosts: tuple[str, ...], name: str) -> None:
    calls = {"https://rowing.x.edu": ("Rowing", 9)}
    pages = [
        replace(page(n), url=f"{host}/{n}", site_name=called)
        for host in hosts
        for called, most in (calls.get(host, (NAME, 3)),)
        for n in range(most)
    ]
    found = Boilerplate()
    list(found.cleaned(pages))
    assert found.site_name == name


def test_each_host_is_a_site_of_its_own() -> None:
    other = [
        Document(f"https://b.example/{n}", "T", (Section((), (Block("paragraph", "Share this"),)),))
        for n in range(3)
    ]
    found = cleaned([*(page(n, "Share this") for n in range(10)), *other])
    assert [texts_of(one) for one in found if one.url.startswith("https://b.")] == [["Share this"]] * 3


@pytest.mark.parametrize(
    ("pages", "name"),
    [
        ([page(n, site_name=NAME) for n in range(3)], NAME),
        ([page(n, title=f"Fees {n}", head_title=f"Fees {n} | {NAME}") for n in range(10)], NAME),
        ([page(0, title=f"Home | {NAME}"), page(1)], NAME),
        ([page(0, title=NAME), page(1)], NAME),
        ([page(0, title=f"Welcome to {NAME}"), page(1)], NAME),
        ([page(0, title=f"{NAME}'s Home Page"), page(1)], NAME),
        ([page(0, title="Home"), page(1)], ""),
        ([page(1), page(2)], ""),
        ([], ""),
    ],
)
def test_the_sites_name_is_read_from_its_pages(pages: list[Document], name: str) -> None:
    found = Boilerplate()
    list(found.cleaned(pages))
    assert found.site_name == name
