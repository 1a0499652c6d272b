"""Real odd files, each whole and broken in some ways, through what the crawler and the indexer do with them.

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.fuzzing.fuzz_files [--mutations N] [--seed
        N]
        [--only KIND]

Prints a row a kind of file: inputs, what was raised, what took long, the slowest, how memory grew. Checked
besides: titles, headings, passages, links and what is taken of a page end; no character is half of one.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from scripts.research.fuzzing.files import MUTATIONS, odd_pages, odd_robots, odd_sitemaps
from scripts.research.fuzzing.sites import CHARSETS
from server.errors import BadInputError
from server.ingest.academic_terms import with_terms
from server.ingest.chunk import ChunkSize, chunk, shortened
from server.ingest.crawl.parse import MAX_LINKS, RobotsRules, read_facts, read_sitemap
from server.ingest.documents.failures import UnreadableDocumentError
from server.ingest.extract.extract import extract
from server.ingest.filter import PageFilter
from server.ingest.pages_file import read_pages_file
from server.ingest.pipeline import IndexLimits
from server.models import SourcePage
from server.settings import PROJECT
from server.terminal import print_table

SLOW_S, SLOW_8_MB_S = 5.0, 15.0  # of processor time, for one input
SIZE, LIMITS = ChunkSize(), IndexLimits()
# The last passage of a section may have all but twice the least words, and a word 400 letters.
LONGEST = {"title": 301, "heading": 300, "passage": 2 * SIZE.min_words * 401}
PAGE = "http://a.example/page.html"


@dataclass(slots=True)
class Tally:
    """What became of one kind of input."""

    inputs: int = 0
    raised: int = 0
    slow: int = 0
    slowest: float = 0.0
    began_mb: float = field(default_factory=lambda: _resident_mb())  # noqa: PLW0108 - it is defined below

    def row(self, kind: str) -> list[str]:
        """For the table."""
        grown = f"{self.began_mb:.0f} → {_resident_mb():.0f}"
        return [kind, str(self.inputs), str(self.raised), str(self.slow), f"{self.slowest:.2f}", grown]


def main() -> None:
    """Run, print, and end with 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mutations", type=int, default=3, help="of each file, chosen by the seed")
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--only", default="", help="kinds of files with these letters in their name")
    given = parser.parse_args()
    data = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
    if not data.is_dir():
        raise SystemExit(f"There is no folder {data}; set LODGE_DATA.")
    chance = random.Random(given.seed)
    kinds: list[tuple[str, Iterator[tuple[str, bytes]], Callable[[bytes], None]]] = [
        ("robots.txt", _broken(_robots(data), given.mutations, chance), _read_robots),
        ("robots.txt, made", odd_robots(), _read_robots),
        ("sitemaps, made", odd_sitemaps(), _read_sitemap),
        ("pages, made", odd_pages(), _read_once),
        ("charsets", _in_charsets(), _read_in_charset),
        ("responses of 1996", _broken(_responses(data), given.mutations, chance), _read_page),
        ("PDF", _broken(_pdfs(data), given.mutations * 3, chance), _read_page),
        ("pages files", _broken(_pages_files(data), given.mutations * 10, chance), _read_pages),
    ]
    rows, found = [], 0
    for kind, inputs, read in (row for row in kinds if given.only in row[0]):
        tally = Tally()
        for name, body in inputs:
            _try(tally, name, body, read)
        rows.append(tally.row(kind))
        found += tally.raised + tally.slow
    print_table(["files", "inputs", "raised", "slow", "slowest (s)", "MB"], rows)
    print(f"Most memory at any time: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024} MB.")
    sys.exit(bool(found))


def _try(tally: Tally, name: str, body: bytes, read: Callable[[bytes], None]) -> None:
    tally.inputs += 1
    began = time.process_time()
    try:
        read(body)
    except Exception as error:
        tally.raised += 1
        print(f"{name}: {type(error).__name__}: {str(error)[:200]}")
    took = time.process_time() - began
    tally.slowest = max(tally.slowest, took)
    if took > (SLOW_8_MB_S if len(body) >= 7_000_000 else SLOW_S):
        tally.slow += 1
        print(f"{name}: {took:.1f} s for {len(body):,} bytes")


def _read_robots(body: bytes) -> None:
    rules = RobotsRules(body, "lodge")
    for path in ("/", "/a/b?c=d", "/" + "a" * 1_900, "/%ff%00", "/ä"):
        rules.allows(f"http://a.example{path}")
    assert 0 <= rules.delay_s <= 60  # noqa: S101 - a finding
    assert all(isinstance(one, str) for one in rules.sitemaps)  # noqa: S101


def _read_sitemap(body: bytes) -> None:
    entries = list(read_sitemap(body, "http://a.example/sitemap.xml"))
    assert len(entries) <= 50_000  # noqa: S101
    assert not any("root:" in entry.url or len(entry.url) > 10_000 for entry in entries)  # noqa: S101


def _read_page(body: bytes) -> None:
    for charset in (None, "utf-16"):
        _read_as(body, charset)
    for media_type in ("text/html", "text/html; charset=utf-7", "text/plain; charset=utf-16"):
        _index_as(body, media_type)


def _read_once(body: bytes) -> None:
    """As the crawler does, then the indexer."""
    _read_as(body, None)
    _index_as(body, "text/html")


def _read_in_charset(body: bytes) -> None:
    """A body whose first line is the charset that its header names."""
    charset, _, rest = body.partition(b"\n")
    _read_as(rest, charset.decode())
    _index_as(rest, f"text/html; charset={charset.decode()}")


def _read_as(body: bytes, charset: str | None) -> None:
    facts = read_facts(body, PAGE, charset, "lodge")
    assert all(link.startswith("http") for link in facts.links)  # noqa: S101
    assert len(facts.links) + len(facts.unfollowed) <= MAX_LINKS  # noqa: S101


def _index_as(body: bytes, media_type: str) -> None:
    page = SourcePage(url=PAGE, body=body, is_html="html" in media_type, content_type=media_type)
    try:
        document = shortened(extract(page), LIMITS.page_chunks * SIZE.chars)
    except UnreadableDocumentError:
        return  # a reason, as it should be
    PageFilter((), 0, 0.9).after_extract(document)
    document, chunks = with_terms(document, chunk(document, SIZE)[: LIMITS.page_chunks])
    assert len(document.title) <= LONGEST["title"]  # noqa: S101
    for one in chunks:
        assert len(one.text) <= LONGEST["passage"], f"a passage of {len(one.text):,}"  # noqa: S101
        assert all(len(heading) <= LONGEST["heading"] for heading in one.heading_path)  # noqa: S101
        one.text.encode()  # half a character would stop the index


def _read_pages(body: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        Path(file.name).write_bytes(body)
        try:
            for page in read_pages_file(Path(file.name), lambda line, why: None):
                extract(page)
        except BadInputError:
            return


def _broken(
    files: Iterator[tuple[str, bytes]], times: int, chance: random.Random
) -> Iterator[tuple[str, bytes]]:
    """Each file as it is, then broken in so many ways."""
    for name, body in files:
        yield name, body
        if body:
            for _ in range(times):
                how = chance.choice(sorted(MUTATIONS))
                yield f"{name} ({how})", MUTATIONS[how](body, chance)


def _in_charsets() -> Iterator[tuple[str, bytes]]:
    """Every bytes in every charset of Python's, before and within a page, and declared by it too."""
    every = bytes(range(256)) * 4
    for name in CHARSETS:
        named = name.encode()
        for body in (
            every,
            b"<p>a " + every,
            b'<meta charset="' + named + b'"><a href="/?q=' + every + b'">b',
        ):
            yield f"charset {name}", named + b"\n" + body


def _robots(data: Path) -> Iterator[tuple[str, bytes]]:
    with gzip.open(data / "robots" / "academic.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["host"], row["robots_txt"].encode()


def _responses(data: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(data / "webkb" / "cornell-texas.tar.gz") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".http") else None
            if file:
                head, gap, body = file.read().partition(b"\r\n\r\n")
                yield member.name, body if gap else head.partition(b"\n\n")[2]


def _pdfs(data: Path) -> Iterator[tuple[str, bytes]]:
    for path in sorted((data / "pdf").glob("*.pdf")):
        yield path.name, path.read_bytes()


def _pages_files(data: Path) -> Iterator[tuple[str, bytes]]:
    for folder in ("cmu-sai", "doc2dial"):
        packed = (data / folder / "pages.jsonl.gz").read_bytes()
        plain = b"".join(gzip.decompress(packed).splitlines(keepends=True)[:10])
        yield f"{folder}, packed", gzip.compress(plain)
        yield folder, plain


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
