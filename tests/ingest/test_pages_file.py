import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given

from server.errors import BadInputError
from server.ingest.pages_file import read_pages_file
from server.models import SourcePage
from tests.json_lines import json_lines

GOOD = {"url": "https://a.example/", "title": "A", "html": "<p>Hi</p>", "last_modified": "2026-01-02"}
TEXT = {"url": "https://b.example/", "text": "Hi"}


def read(path: Path) -> tuple[list[SourcePage], list[tuple[int, str]]]:
    broken: list[tuple[int, str]] = []
    pages = list(read_pages_file(path, lambda number, why: broken.append((number, why))))
    return pages, broken


@pytest.mark.parametrize("name", ["pages.jsonl", "pages.jsonl.gz"])
def test_html_and_text_pages_are_read(tmp_path: Path, name: str) -> None:
    lines = "\n".join(map(json.dumps, (GOOD, TEXT))).encode()
    (tmp_path / name).write_bytes(gzip.compress(lines) if name.endswith(".gz") else lines)
    assert read(tmp_path / name) == (
        [
            SourcePage("https://a.example/", "<p>Hi</p>", True, "A", last_modified="2026-01-02"),
            SourcePage("https://b.example/", "Hi", False),
        ],
        [],
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"url": "https://a.example/"', "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[1]", "not a JSON object"),
        (b'{"text": "Hi"}', '"url" is missing or no http address'),
        (b'{"url": "a page", "text": "Hi"}', '"url" is missing or no http address'),
        (b'{"url": "http://[", "text": "Hi"}', '"url" is missing or no http address'),
        (b'{"url": "https://a.example/"}', 'neither "html" nor "text"'),
        (b'{"url": "https://a.example/", "html": 5}', '"html" is not a string'),
        (b'{"url": "https://a.example/", "text": "", "title": []}', '"title" is not a string'),
    ],
)
def test_a_broken_line_is_named_and_the_rest_kept(tmp_path: Path, line: bytes, why: str) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_bytes(b"\n".join([json.dumps(GOOD).encode(), b"", line, json.dumps(TEXT).encode()]))
    pages, broken = read(path)
    assert [page.url for page in pages] == ["https://a.example/", "https://b.example/"]
    assert broken == [(3, why)]


def test_a_file_that_is_none_is_bad_input(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.jsonl", tmp_path):
        with pytest.raises(BadInputError, match="no pages file"):
            read(path)


@pytest.mark.parametrize("damage", ["cut", "garbled"])
def test_damaged_compression_is_bad_input(tmp_path: Path, damage: str) -> None:
    whole = gzip.compress(b"\n".join(json.dumps({**TEXT, "text": str(n) * 50}).encode() for n in range(2000)))
    path = tmp_path / "pages.jsonl.gz"
    path.write_bytes(whole[:-20] if damage == "cut" else whole[:50] + b"\x00" * 500 + whole[550:])
    with pytest.raises(BadInputError, match="cannot be read to its end"):
        read(path)


KEYS = ["url", "title", "html", "text", "last_modified", "fetched_at"]


@given(lines=json_lines(KEYS))
def test_a_line_is_a_page_or_is_told_of_and_costs_no_other(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    """What is read can be written: it holds no half characters, and its address no control characters."""
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    good = [json.dumps({"url": f"https://a.edu/{n}", "text": "x"}).encode() for n in range(2)]
    path.write_bytes(b"\n".join([good[0], *lines, good[1]]))
    broken: dict[int, str] = {}
    pages = list(read_pages_file(path, broken.__setitem__))
    there = [n for n, line in enumerate(path.read_bytes().split(b"\n"), 1) if line.strip()]
    assert len(pages) + len(broken) == len(there)
    assert set(broken) <= set(there)
    assert [pages[0].url, pages[-1].url] == ["https://a.edu/0", "https://a.edu/1"]
    for page in pages:
        assert page.url.isascii() or page.url.encode()
        "".join([str(page.body), page.title or "", page.last_modified or "", page.fetched_at or ""]).encode()
        assert not set(page.url) & set(map(chr, range(32)))


def test_half_a_character_costs_no_page_and_not_the_whole_index(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl"
    path.write_text(
        r'{"url": "https://a.edu/1", "title": "Half \ud83d", "text": "a \udc4d"}' + "\n"
        r'{"url": "https://a.edu/\ud83d", "text": "x"}' + "\n" + r'{"url": "https://a.edu/\n", "text": "x"}',
        encoding="utf-8",
    )
    broken: dict[int, str] = {}
    [page] = read_pages_file(path, broken.__setitem__)
    assert (page.title, page.body) == ("Half \ufffd", "a \ufffd")
    assert broken == dict.fromkeys((2, 3), '"url" is missing or no http address')
