"""robots.txt and sitemaps."""

from __future__ import annotations

import gzip

import pytest

from server.ingest.crawl.parse import RobotsRules, SitemapEntry, read_sitemap

INDEX = b"""<?xml version="1.0"?><sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<sitemap><loc>http://h/part.xml</loc></sitemap></sitemapindex>"""
PART = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> http://h/a </loc><lastmod>2024-01-02</lastmod></url><url><loc>/b</loc></url><url></url></urlset>"""


def test_rules_are_for_our_name_first() -> None:
    rules = RobotsRules(b"User-agent: lodgebot\nDisallow: /x\n\nUser-agent: *\nDisallow: /", "LodgeBot")
    assert rules.allows("http://h/y")
    assert not rules.allows("http://h/x/1")


def test_crawl_delay_is_read_and_bounded() -> None:
    assert RobotsRules(b"User-agent: *\nCrawl-delay: 2.5", "LodgeBot").delay_s == 2.5
    assert RobotsRules(b"User-agent: *\nCrawl-delay: 86400", "LodgeBot").delay_s == 60
    assert RobotsRules(b"", "LodgeBot").delay_s == 0


def test_sitemaps_are_named() -> None:
    assert RobotsRules(b"Sitemap: http://h/s.xml", "LodgeBot").sitemaps == ("http://h/s.xml",)


@pytest.mark.parametrize("body", [b"\xff\x00\xfe", b"<html>not found</html>", b"Disallow"])
def test_a_garbled_robots_txt_allows_everything(body: bytes) -> None:
    assert RobotsRules(body, "LodgeBot").allows("http://h/")


def test_entries_of_a_sitemap_and_of_an_index() -> None:
    assert list(read_sitemap(INDEX, "http://h/s.xml")) == [SitemapEntry("http://h/part.xml", None, True)]
    assert list(read_sitemap(PART, "http://h/part.xml")) == [
        SitemapEntry("http://h/a", "2024-01-02", False),
        SitemapEntry("http://h/b", None, False),
    ]


def test_a_gzipped_sitemap_is_the_same() -> None:
    assert list(read_sitemap(gzip.compress(PART), "http://h/")) == list(read_sitemap(PART, "http://h/"))


@pytest.mark.parametrize("body", [b"", b"no xml", b"\x1f\x8bbroken", b"<urlset><url><loc>x"])
def test_a_broken_sitemap_is_no_error(body: bytes) -> None:
    assert all(not entry.is_sitemap for entry in read_sitemap(body, "http://h/"))


def test_entities_are_not_resolved() -> None:
    body = b'<!DOCTYPE u [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://h/&e;</loc></url></urlset>'
    assert [entry.url for entry in read_sitemap(body, "http://h/")] == ["http://h/"]


def test_a_sitemap_ends_where_sitemaps_have_to() -> None:
    packed = gzip.compress(b"<urlset>" + b"<url><loc>/a</loc></url>" * 60_000)
    assert sum(1 for _ in read_sitemap(packed, "http://a.example/sitemap.xml")) == 50_000
