"""Pages that only scripts write: named where they are not rendered, and read with a real Chromium."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.ensure_browser import find_browser
from server.ingest.crawl.contents import last_crawl, read_pages
from tests.ingest.crawl.loopback import Page, Site, links, run_crawl, serving

SHELL = '<title>Apply</title><div id="root"></div><img src="/pixel.png"><script src="/app.js"></script>'
SCRIPT = """
const places = ['/api/office.json', '/private/staff.json', 'ELSEWHERE/spy.json'];
Promise.all(places.map(place => fetch(place).then(r => r.json()).catch(() => null))).then(found => {
  document.getElementById('root').innerHTML =
    found.filter(Boolean).map(one => `<p>${one.says}</p>`).join('') + '<a href="/behind">More</a>';
});
"""
OFFICE = "The admissions office answers questions on weekdays from nine to five."
JSON = {"Content-Type": "application/json"}
JS = {"Content-Type": "text/javascript"}


def pages_of(elsewhere: str, script: str = SCRIPT) -> dict[str, Page]:
    return {
        "/robots.txt": Page("User-agent: *\nDisallow: /private/", headers={"Content-Type": "text/plain"}),
        "/": links("/apply/"),
        "/apply/": Page(SHELL, headers={"Content-Type": "text/html", "ETag": '"shell"'}),
        "/app.js": Page(script.replace("ELSEWHERE", elsewhere), headers=JS),
        "/api/office.json": Page(f'{{"says": "{OFFICE}"}}', headers=JSON),
        "/private/staff.json": Page('{"says": "Staff alone may read this."}', headers=JSON),
        "/behind": links(text="found by the script"),
    }


def text_at(site: Site, store_dir: Path, path: str) -> str:
    bodies = {page.url.removeprefix(site.url): page.body for page in read_pages(store_dir)}
    body = bodies[path]
    return body.decode() if isinstance(body, bytes) else body


def says_of(site: Site, store_dir: Path) -> dict[str | None, str]:
    return {fate.reason: fate.says for fate in last_crawl(store_dir, site.host).fates if fate.reason}


def crawl_with(site: Site, store_dir: Path, **limits: Any) -> Mapping[str, Any]:
    return run_crawl(site, store_dir, render=["/apply/"], browser=find_browser(), **limits)


def test_a_page_that_only_scripts_write_is_named_in_the_report(tmp_path: Path) -> None:
    with serving(pages_of("")) as site:
        report = run_crawl(site, tmp_path)
    assert (report["fetched"], report["as_sent"], report["cut"]) == (2, {"needs_browser": 1}, {})
    assert says_of(site, tmp_path)["needs_browser"].startswith("Needs a browser")


def test_a_page_is_read_as_a_browser_shows_it_within_the_site_and_its_robots_txt(tmp_path: Path) -> None:
    with serving({}) as other, serving(pages_of(other.url)) as site:
        report = crawl_with(site, tmp_path, private_hosts=[site.host, other.host])
        again = crawl_with(site, tmp_path)
    assert OFFICE in text_at(site, tmp_path, "/apply/")
    assert "<script" not in text_at(site, tmp_path, "/apply/")
    assert "found by the script" in text_at(site, tmp_path, "/behind")
    assert (report["as_sent"], report["ended"], other.requests) == ({}, "done", [])
    asked = site.paths
    assert "/private/staff.json" not in asked
    assert "/pixel.png" not in asked
    assert asked.count("/apply/") == 2  # once a crawl, whatever the browser asks for
    assert again["as_sent"] == {}


ENDLESS = {
    "loop": "while (true) {}",
    "asks": "setInterval(() => fetch('/api/office.json?' + Math.random()), 1)",
    "leaves": "location = 'http://127.0.0.1:9/'; alert('Read me'); window.open('/behind')",
}


def test_pages_whose_scripts_never_end_cost_their_time_alone(tmp_path: Path) -> None:
    pages = {**pages_of(""), "/": links(*(f"/apply/{name}" for name in ENDLESS))}
    for name, script in ENDLESS.items():
        pages[f"/apply/{name}"] = Page(SHELL.replace("/app.js", f"/{name}.js"))
        pages[f"/{name}.js"] = Page(script, headers=JS)
    with serving(pages) as site:
        report = crawl_with(site, tmp_path, render_s=1.0)
    assert (report["ended"], report["fetched"]) == ("done", 4)
    assert report["as_sent"] == {"needs_browser": 3}


def test_without_a_browser_the_page_is_read_as_it_is_sent_and_the_report_says_why(tmp_path: Path) -> None:
    with serving({**pages_of(""), "/apply/": links(text="Written by the server. " * 20)}) as site:
        report = run_crawl(site, tmp_path, render=["/apply/"], browser="/nowhere/chromium")
    assert report["as_sent"] == {"unrendered": 1}
    assert says_of(site, tmp_path)["unrendered"].startswith("Read as the server sends it")
    assert "Written by the server." in text_at(site, tmp_path, "/apply/")
