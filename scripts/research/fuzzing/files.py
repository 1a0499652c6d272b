"""Odd files: made of real ones by breaking them, and some that nobody would find in the wild."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable, Iterator

Mutation = Callable[[bytes, random.Random], bytes]
MANY, DEEP = 20_000, 100_000


def _flipped(body: bytes, chance: random.Random) -> bytes:
    flipped = bytearray(body)
    for _ in range(max(1, len(body) // 200)):
        flipped[chance.randrange(len(flipped))] = chance.randrange(256)
    return bytes(flipped)


def _cut(body: bytes, chance: random.Random) -> bytes:
    return body[: chance.randrange(len(body))]


def _swapped(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body))
    return body[place:] + body[:place]


def _nul(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body))
    return body[:place] + b"\0" * 50 + body[place:]


def _mixed(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body))
    return body[:place] + body[place : place + 500].decode("latin-1").encode("utf-16") + body[place:]


def _surrogates(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body))
    return body[:place] + b"\xed\xa0\x80\xed\xbf\xbf\xff\xfe\xc0\x80" * 20 + body[place:]


def _attribute(body: bytes, chance: random.Random) -> bytes:
    place = max(body.find(b">", chance.randrange(len(body))), 0)
    return body[:place] + b" title='" + b"x " * MANY + b"'" + body[place:]


def _crowded(body: bytes, chance: random.Random) -> bytes:
    place = max(body.find(b">", chance.randrange(len(body))), 0)
    return body[:place] + b"".join(b" a%d=1" % number for number in range(MANY)) + body[place:]


def _deep(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body))
    return (
        body[:place]
        + chance.choice((b"<div>", b"<table><tr><td>", b"<ul><li>", b"<b>")) * DEEP
        + body[place:]
    )


def _doubled(body: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(body))
    return body[:place] + body[place : place + 30] * 2_000 + body[place:]


MUTATIONS: dict[str, Mutation] = {
    "flipped": _flipped,
    "cut": _cut,
    "swapped": _swapped,
    "NULs": _nul,
    "two encodings": _mixed,
    "surrogates": _surrogates,
    "long attribute": _attribute,
    "many attributes": _crowded,
    "nested": _deep,
    "repeated": _doubled,
}


def odd_robots() -> Iterator[tuple[str, bytes]]:
    """robots.txt that nobody means well with."""
    yield "10 MB of rules", b"User-agent: *\n" + b"Disallow: /abcdef\n" * 600_000
    yield "a line of 10 MB", b"User-agent: *\nDisallow: /" + b"a" * 10_000_000
    yield "many stars", b"User-agent: *\nDisallow: /" + b"*a" * 5_000 + b"b$\n"
    yield "NULs", b"\0" * 1_000_000
    yield "delays", b"User-agent: *\nCrawl-delay: nan\nCrawl-delay: 1e400\nRequest-rate: 1/0\n"


def odd_pages() -> Iterator[tuple[str, bytes]]:
    """Pages of eight or ten megabytes, the most that is fetched as shipped, of one thing over and over."""
    for unit in (
        "<p>a",
        "a ",
        "<ul><li>a",
        "<table><tr><td>a",
        "<td>a",
        "<h1>a</h1>b",
        "<b>a</b>",
        "<br>",
        "<",
    ):
        yield f"8 MB of {unit}", unit.encode() * (8_000_000 // len(unit))
    yield "8 MB of one word", b"<p>" + b"a" * 8_000_000
    yield "500,000 links", b"".join(b"<a href=/%d>x</a>" % number for number in range(500_000))
    yield "500,000 links to one page", b"<a href=#a>x</a>" * 500_000
    yield "characters by their numbers", b"".join(b"a&#%d; <nav>b</nav>" % number for number in range(70_000))
    yield "characters", "".join(f"a{chr(number)} <nav>b</nav>" for number in range(0xD800)).encode()


def odd_sitemaps() -> Iterator[tuple[str, bytes]]:
    """Sitemaps that unpack, expand, nest or name themselves without end."""
    laughs = b"".join(
        b'<!ENTITY l%d "%s">' % (n, (b"&l%d;" % (n - 1) if n else b"lol") * 10) for n in range(10)
    )
    yield (
        "a billion laughs",
        b"<!DOCTYPE x [" + laughs + b"]><urlset><url><loc>http://a.example/&l9;</loc></url></urlset>",
    )
    yield (
        "a file of the machine",
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://a.example/&e;'
        b"</loc></url></urlset>",
    )
    yield "4 million entries", gzip.compress(b"<urlset>" + b"<url><loc>/a</loc></url>" * 4_000_000)
    yield "1 GB of zeros", gzip.compress(b"\0" * 1_000_000_000, 1)
    yield "nested", b"<a>" * 1_000_000
    yield "broken off", gzip.compress(b"<urlset>" + b"<url><loc>/a</loc></url>" * 400)[:-9]
    yield "itself", b"<sitemapindex><sitemap><loc>/sitemap.xml</loc></sitemap></sitemapindex>" * 1000
