"""The crawler as a whole: a real site on the loopback, and what is left in the store."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from itertools import count
from pathlib import Path

import pytest

from server.errors import BadInputError, CrawlError
from server.ingest.crawl.contents import read_drops, read_pages
from server.ingest.crawl.job import crawl
from server.ingest.crawl.reading import CrawledChanges
from server.ingest.crawl.site_crawler import MAX_SITEMAP_DEPTH, SITEMAPS_FIRST
from server.ingest.crawl.store import MAX_SITEMAPS
from tests.ingest.crawl.loopback import HTML, CrawlProcess, Page, Site, links, run_crawl, serving
from tests.ingest.crawl.run_crawl import limits_of


def paths_of(site: Site, store_dir: Path) -> set[str]:
    return {page.url.removeprefix(site.url) for page in read_pages(store_dir)}


def reasons_of(site: Site, store_dir: Path) -> dict[str, str]:
    return {drop.url.removeprefix(site.url): drop.reason for drop in read_drops(store_dir)}


def wait_for_requests(site: Site, count: int) -> None:
    deadline = time.monotonic() + 20
    while len(site.requests) < count:
        assert time.monotonic() < deadline, "the crawl did not get that far"
        time.sleep(0.005)


def test_reaches_every_page_and_keeps_a_reason_for_every_other(tmp_path: Path) -> None:
    pages = {
        "/robots.txt": Page("User-agent: *\nDisallow: /private/", headers={"Content-Type": "text/plain"}),
        "/": links("/a", "/private/x", "/logo.png", "/data.bin", "/dead", "/old", "/hidden", "/notes.txt"),
        "/a": links("/b?utm_source=mail&id=1#top", "http://other.example/"),
        "/b?id=1": links("/", text="the end"),
        "/data.bin": Page(b"\0\1", headers={"Content-Type": "application/octet-stream"}),
        "/old": Page("", 301, {"Location": "/new"}),
        "/new": links(text="moved here"),
        "/hidden": links("/behind", text="not for the index", head='<meta name="robots" content="noindex">'),
        "/behind": links(text="found behind a hidden page"),
        "/notes.txt": Page("plain notes", headers={"Content-Type": "text/plain"}),
    }
    with serving(pages) as site:
        report = run_crawl(site, tmp_path)
    assert paths_of(site, tmp_path) == {"/", "/a", "/b?id=1", "/new", "/behind", "/notes.txt"}
    reasons = reasons_of(site, tmp_path)
    assert (reasons.pop("/private/x"), reasons.pop("/hidden")) == ("robots", "noindex")
    assert reasons == {"/logo.png": "type", "/data.bin": "type", "/dead": "failed", "/old": "redirect"}
    assert (report["fetched"], report["redirects"], report["ended"]) == (7, 1, "done")
    assert report["skipped"] == {"type": 2, "robots": 1}
    assert (report["failed"], report["failed_now"]) == ({"http 404": 1}, 0)
    assert len(site.paths) == len(set(site.paths))


@pytest.mark.parametrize("charset", ["EUC-KR", "EUC-JP", "ISO-2022-JP", "macintosh", "cp437", "punycode"])
def test_a_page_in_any_charset_is_fetched_and_so_are_those_behind_it(charset: str, tmp_path: Path) -> None:
    odd = Page(links("/behind").body, headers={"Content-Type": f"text/html; charset={charset}"})
    with serving({"/": links("/odd"), "/odd": odd, "/behind": links(text="the end")}) as site:
        report = run_crawl(site, tmp_path)
    assert (report["fetched"], report["ended"], report["failed"]) == (3, "done", {})


def sitemap_index(*names: str) -> Page:
    named = "".join(f"<sitemap><loc>/{name}</loc></sitemap>" for name in names)
    return Page(f"<sitemapindex>{named}</sitemapindex>", headers={"Content-Type": "application/xml"})


def test_sitemaps_without_end_end_and_pages_get_their_turn(tmp_path: Path) -> None:
    """Each index names the next, and many others: neither depth nor number keeps pages waiting."""
    made = count()

    def rest(path: str) -> Page | None:
        return sitemap_index(*(f"map{next(made)}.xml" for _ in range(100))) if path.endswith(".xml") else None

    names = [f"/{letter}" for letter in "abcdefgh"]
    pages = {"/": links(*names), **{name: links(text=f"page {name}") for name in names}}
    with serving(pages, rest) as site:
        report = run_crawl(site, tmp_path, max_pages=5)
        assert (report["ended"], report["fetched"]) == ("max_pages", 5)
        assert sum(path.endswith(".xml") for path, _ in site.requests) <= SITEMAPS_FIRST + 5
        report = run_crawl(site, tmp_path)
        assert (report["ended"], report["fetched"]) == ("done", 9)
        assert sum(path.endswith(".xml") for path, _ in site.requests) == MAX_SITEMAPS
    assert report["cut"]["sitemaps"] > 0


def test_a_chain_of_sitemap_indexes_is_followed_as_far_as_sites_have_them(tmp_path: Path) -> None:
    def rest(path: str) -> Page | None:
        number = path.removeprefix("/sitemap").removesuffix(".xml")
        return sitemap_index(f"sitemap{int(number or 0) + 1}.xml") if path.endswith(".xml") else None

    with serving({"/": links(text="the only page")}, rest) as site:
        report = run_crawl(site, tmp_path)
        assert sum(path.endswith(".xml") for path, _ in site.requests) == MAX_SITEMAP_DEPTH + 1
        assert (report["ended"], report["fetched"], report["cut"]) == ("done", 1, {"sitemaps": 1})


def test_where_sitemaps_were_left_no_page_is_taken_for_unlinked(tmp_path: Path) -> None:
    """What was left may be what led to it."""
    pages = {"/": links("/a"), "/a": links(text="a page")}
    with serving(pages) as site:
        run_crawl(site, tmp_path)
        site.pages["/"] = links(text="no link any more")
        site.rest = lambda path: (
            sitemap_index(*(f"{n}.xml" for n in range(600))) if "sitemap" in path else None
        )
        assert run_crawl(site, tmp_path)["gone"] == 0
        site.rest = lambda _: None
        assert run_crawl(site, tmp_path)["gone"] == 1


def test_links_without_end_leave_a_report_and_no_page_gone(tmp_path: Path) -> None:
    """Every page links to a hundred new ones."""
    letters = str.maketrans("0123456789", "abcdefghij")

    def rest(path: str) -> Page | None:
        made = [f"{path}{number}/".translate(letters) for number in range(100)]
        return links(*made, text=f"page {path}") if path.endswith("/") else None

    with serving({}, rest) as site:
        first = run_crawl(site, tmp_path, max_urls=150, max_depth=3)
        assert (first["ended"], first["fetched"], first["cut"]) == ("done", 150, {"frontier": 149})
        site.pages["/"] = links(
            *reversed([f"/{letter}/" for letter in "abcdefghij"]), text="the others first"
        )
        again = run_crawl(site, tmp_path, max_urls=120, max_depth=3)
    assert (again["ended"], again["gone"]) == ("done", 0)
    assert again["cut"]["frontier"] > 0


def test_a_second_run_asks_conditionally_and_marks_what_is_gone(tmp_path: Path) -> None:
    etag = HTML | {"ETag": '"1"'}
    pages = {
        "/": Page(links("/same", "/steady", "/changed", "/dropped", "/unlinked").body, headers=etag),
        "/same": Page("<p>with a validator</p>", headers=etag),
        "/steady": links(text="without a validator"),
        "/changed": links(text="first words"),
        "/dropped": links(text="to be taken away"),
    }
    with serving(pages | {"/unlinked": links(text="nobody will link here")}) as site:
        run_crawl(site, tmp_path)
        site.pages["/"] = links("/same", "/steady", "/changed", "/dropped", text="one link fewer")
        site.pages["/changed"] = links(text="other words")
        del site.pages["/dropped"]
        report = run_crawl(site, tmp_path)
    assert (report["fetched"], report["unchanged"], report["gone"], report["failed"]) == (2, 2, 2, {})
    assert paths_of(site, tmp_path) == {"/", "/same", "/steady", "/changed"}
    assert reasons_of(site, tmp_path) == {"/dropped": "gone", "/unlinked": "gone"}
    assert [headers.get("If-None-Match") for path, headers in site.requests if path == "/same"] == [
        None,
        '"1"',
    ]


def test_an_unchanged_start_page_still_leads_to_its_links(tmp_path: Path) -> None:
    """A 304 has no body; the links are read from the copy."""
    with serving(
        {"/": Page(links("/a").body, headers=HTML | {"ETag": '"x"'}), "/a": links(text="a")}
    ) as site:
        run_crawl(site, tmp_path)
        report = run_crawl(site, tmp_path)
    assert (report["unchanged"], report["gone"]) == (2, 0)


def test_a_killed_crawl_goes_on_where_it_was(tmp_path: Path) -> None:
    names = [f"/page-{word}" for word in "abcdefghijklmnopqrstuvwxyz"]
    pages = {name: Page(f"<p>page {name}</p>", slow_s=0.02) for name in names}
    with serving({"/": links(*names), **pages}) as site:
        process = CrawlProcess([site.url + "/"], tmp_path, private_hosts=[site.host])
        wait_for_requests(site, 12)
        process.kill()
        before = list(site.paths)
        report = run_crawl(site, tmp_path)
        after = site.paths[len(before) :]
    assert report["resumed"]
    assert report["fetched"] == 27
    assert paths_of(site, tmp_path) == {"/", *names}
    assert len(set(before) & set(after)) <= 2, "only what was on its way is asked for again"


def test_ctrl_c_stops_gracefully_and_keeps_the_state(tmp_path: Path) -> None:
    names = [f"/page-{word}" for word in "abcdefghij"]
    pages = {name: Page(f"<p>page {name}</p>", slow_s=0.1) for name in names}
    with serving({"/": links(*names), **pages}) as site:
        process = CrawlProcess([site.url + "/"], tmp_path, private_hosts=[site.host])
        wait_for_requests(site, 6)
        process.interrupt()
        report = process.result()
        assert report["ended"] == "interrupted"
        assert report["queued"] > 0
        assert run_crawl(site, tmp_path)["fetched"] == 11


def test_the_page_limit_ends_a_run_and_the_next_takes_up_the_rest(tmp_path: Path) -> None:
    with serving({"/": links("/a", "/b", "/c"), **{f"/{x}": links(text=x * 9) for x in "abc"}}) as site:
        first = run_crawl(site, tmp_path, max_pages=2)
        second = run_crawl(site, tmp_path, max_pages=2)
    assert (first["ended"], first["fetched"], first["queued"]) == ("max_pages", 2, 2)
    assert (second["ended"], second["fetched"], second["resumed"]) == ("done", 4, True)


def test_a_calendar_without_end_is_left_and_every_real_page_reached(tmp_path: Path) -> None:
    def calendar(path: str) -> Page | None:
        month = path.partition("/calendar?month=")[2]
        if not month:
            return None
        return links(f"/calendar?month={int(month) + 1}", text=f"No events in month {month}.")

    chain = {
        f"/{one}": links(f"/{other}", text=f"story {one}")
        for one, other in zip("abcde", "bcdef", strict=True)
    }
    pages = {"/": links("/calendar?month=1", "/a"), **chain, "/f": links(text="the last story")}
    with serving(pages, calendar) as site:
        report = run_crawl(site, tmp_path)
    assert {f"/{name}" for name in "abcdef"} <= paths_of(site, tmp_path)
    assert sum("calendar" in path for path in site.paths) <= 7
    assert report["skipped"] == {"trap": 1}


def test_sitemap_pages_are_found_with_their_dates(tmp_path: Path) -> None:
    with serving({"/": links(text="no links at all"), "/far": links(text="only in the sitemap")}) as site:
        entry = f"<url><loc>{site.url}/far</loc><lastmod>2024-05-01</lastmod></url>"
        xml = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entry}</urlset>'
        site.pages["/sitemap.xml"] = Page(xml, headers={"Content-Type": "application/xml"})
        run_crawl(site, tmp_path)
    found = {page.url.removeprefix(site.url): page.last_modified for page in read_pages(tmp_path)}
    assert found == {"/": None, "/far": "2024-05-01"}


def test_two_sites_are_crawled_at_once_and_link_to_each_other(tmp_path: Path) -> None:
    with (
        serving({"/": links(text="one")}) as one,
        serving({"/": links(text="two"), "/deep": links(text="d")}) as two,
    ):
        one.pages["/"] = links(f"{two.url}/deep")
        starts, private = [one.url + "/", two.url + "/"], [one.host, two.host]
        report = CrawlProcess(starts, tmp_path, private_hosts=private).result()
    assert sorted(report["sites"]) == sorted([one.host, two.host])
    assert {page.url for page in read_pages(tmp_path)} == {f"{one.url}/", f"{two.url}/", f"{two.url}/deep"}


def test_a_prefix_limits_the_crawl(tmp_path: Path) -> None:
    pages = {"/library/": links("/library/hours", "/sports"), "/library/hours": links(text="hours")}
    with serving(pages) as site:
        report = run_crawl(site, tmp_path, start="/library/", prefixes=["/library/"])
    assert paths_of(site, tmp_path) == {"/library/", "/library/hours"}
    assert report["skipped"] == {"scope": 1}


def test_a_redirect_loop_ends(tmp_path: Path) -> None:
    pages = {
        "/": links("/r1"),
        "/r1": Page("", 302, {"Location": "/r2"}),
        "/r2": Page("", 302, {"Location": "/r1"}),
    }
    with serving(
        pages, lambda path: Page("", 302, {"Location": path + "x"}) if "endless" in path else None
    ) as site:
        site.pages["/"] = links("/r1", "/endless")
        report = run_crawl(site, tmp_path)
    assert report["fetched"] == 1
    assert report["skipped"] == {"redirects": 1}


@pytest.mark.parametrize("url", ["not a url", "ftp://example.edu/", "http://", "mailto:a@example.edu", ""])
def test_a_url_that_is_none_is_refused_by_name(url: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no URL to crawl"):
        crawl([url], tmp_path / "crawl", limits_of())
    assert not (tmp_path / "crawl").exists()


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "169.254.169.254", "2130706433"]
)
def test_a_private_address_is_refused_unless_it_was_named(host: str, tmp_path: Path) -> None:
    with pytest.raises(CrawlError, match="LODGE_CRAWL_PRIVATE_HOSTS"):
        crawl([f"http://{host}/"], tmp_path / "crawl", limits_of())
    assert not (tmp_path / "crawl").exists()


def test_naming_one_port_does_not_open_another(tmp_path: Path) -> None:
    with serving({"/": links(text="inside")}) as inside, serving({}) as site:
        site.pages["/robots.txt"] = Page("", 302, {"Location": f"{inside.url}/"})
        result = run_crawl(site, tmp_path)
        assert result["error"] == "CrawlError"
        assert "private network" in result["message"]
        assert inside.requests == []


@pytest.mark.parametrize(
    ("pages", "rest", "sentence"),
    [
        ({}, Page("unwell", 503, {"Retry-After": "0"}), "answered 503"),
        ({"/robots.txt": Page("", 404)}, Page("unwell", 500), "answered 500"),
        ({}, Page("nothing here", 404), "answered 404"),
        ({"/robots.txt": Page("User-agent: *\nDisallow: /")}, None, "robots.txt asks"),
        ({"/": Page(b"\x89PNG", headers={"Content-Type": "image/png"})}, None, "image/png is not read"),
    ],
)
def test_a_crawl_without_a_single_page_says_why_and_leaves_nothing(
    pages: dict[str, Page], rest: Page | None, sentence: str, tmp_path: Path
) -> None:
    with serving(pages, lambda _: rest) as site:
        result = run_crawl(site, tmp_path)
    assert result["error"] == "CrawlError"
    assert sentence in result["message"]
    assert list(tmp_path.iterdir()) == []


def test_a_host_that_does_not_answer_is_a_clear_error(tmp_path: Path) -> None:
    with serving({}) as site:
        pass
    result = run_crawl(site, tmp_path)
    assert "Nothing answers at this address." in result["message"]


def test_a_failed_update_takes_nothing_away(tmp_path: Path) -> None:
    with serving({"/": links("/a"), "/a": links(text="a")}) as site:
        run_crawl(site, tmp_path)
        site.pages.clear()
        site.rest = lambda _: Page("unwell", 503, {"Retry-After": "0"})
        assert run_crawl(site, tmp_path)["error"] == "CrawlError"
    assert paths_of(site, tmp_path) == {"/", "/a"}


def test_a_page_that_breaks_is_told_from_one_that_never_was(tmp_path: Path) -> None:
    with serving({"/": links("/a", "/dead"), "/a": links(text="a")}) as site:
        run_crawl(site, tmp_path)
        site.pages["/a"] = Page("unwell", 503, {"Retry-After": "0"})
        report = run_crawl(site, tmp_path)
    assert (report["failed"], report["failed_now"]) == ({"http 503": 1, "http 404": 1}, 1)
    assert paths_of(site, tmp_path) == {"/", "/a"}


def test_a_full_disk_is_a_clear_error_and_what_was_stored_stays(tmp_path: Path) -> None:
    noise = random.Random(1)
    pages = {f"/page{'x' * number}": Page(noise.randbytes(30_000).hex()) for number in range(60)}
    with serving({"/": links(*pages), **pages}) as site:
        result = run_crawl(site, tmp_path, max_file_bytes=400_000)
    assert result["error"] == "StorageError"
    assert "crawl store" in result["message"]
    assert "/" in paths_of(site, tmp_path)


def test_a_proxy_on_the_loopback_may_be_used_and_resolves_the_names(tmp_path: Path) -> None:
    def web(url: str) -> Page | None:
        return (
            links("/a", "http://127.0.0.1:1/", text=url)
            if url.startswith("http://www.example.edu/")
            else None
        )

    with serving({}, web) as proxy:
        report = CrawlProcess(["http://www.example.edu/"], tmp_path, http_proxy=proxy.url).result()
    assert report["fetched"] >= 2
    assert {path.split("/")[2] for path, _ in proxy.requests} == {"www.example.edu"}


def test_nothing_but_the_result_is_printed(tmp_path: Path) -> None:
    with serving(
        {"/": links("/a", "/dead"), "/a": Page("<p>cut", headers={"Content-Encoding": "gzip"})}
    ) as site:
        job = {"urls": [site.url], "store_dir": str(tmp_path), "limits": {"private_hosts": [site.host]}}
        command = [sys.executable, "-m", "tests.ingest.crawl.run_crawl", json.dumps(job)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stderr == ""
    assert json.loads(done.stdout)["fetched"] == 1


def test_it_is_known_which_page_says_something_else_since_it_was_read(tmp_path: Path) -> None:
    """One date is another day, one page only has other markup."""
    pages = {"/": links("/fees", "/hours"), "/fees": Page("<p>Due March 1"), "/hours": Page("<p>Open at 8")}
    with serving(pages) as site:
        run_crawl(site, tmp_path)
        read = {page.url: page.fetched_at or "" for page in read_pages(tmp_path)}
        time.sleep(1.1)  # the store's times are whole seconds
        site.pages["/fees"] = Page("<p>Due March 5")
        site.pages["/hours"] = Page("<p class='x7'>Open at 8")
        run_crawl(site, tmp_path)
        changes = CrawledChanges(tmp_path)
        changed = [url.removeprefix(site.url) for url, since in read.items() if changes.changed(url, since)]
    assert changed == ["/fees"]
