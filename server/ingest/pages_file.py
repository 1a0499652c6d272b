"""A pages file: a JSON line a page, `{"url", "title", "html" | "text", "last_modified"?, "fetched_at"?}`."""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from server.errors import BadInputError
from server.models import SourcePage

_GZIP_MAGIC = b"\x1f\x8b"
_HALF = re.compile("[\ud800-\udfff]")  # JSON can spell half a character, which no index could take
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ufffd]")


class _BrokenLineError(ValueError):
    """Why a line is no page, as a sentence."""


def read_pages_file(path: Path, on_broken: Callable[[int, str], None]) -> Iterator[SourcePage]:
    """The pages of a `.jsonl` or `.jsonl.gz` file, one at a time.

    A line that is no page is told to `on_broken`, with its number from 1 and a sentence, and passed over.
    A file that cannot be read, or ends in the middle of its compression, is a `BadInputError`.
    """
    if not path.is_file():
        raise BadInputError(f"There is no pages file {path}.")
    try:
        with _open(path) as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    yield _page(line)
                except _BrokenLineError as broken:
                    on_broken(number, str(broken))
    except (OSError, EOFError, zlib.error) as error:
        raise BadInputError(f"The pages file {path} cannot be read to its end: {error}") from error


def _open(path: Path) -> gzip.GzipFile | BufferedReader:
    """The file's lines; whether it is compressed is read from its first bytes, not from its name."""
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP_MAGIC
    return gzip.open(path, "rb") if compressed else path.open("rb")


def _page(line: bytes) -> SourcePage:
    try:
        fields = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise _BrokenLineError("not UTF-8") from None
    except (ValueError, RecursionError):
        raise _BrokenLineError("not JSON") from None
    if not isinstance(fields, dict):
        raise _BrokenLineError("not a JSON object")
    url, html = _text(fields, "url"), _text(fields, "html")
    text = html if html is not None else _text(fields, "text")
    if not url or not _is_url(url):
        raise _BrokenLineError('"url" is missing or no http address')
    if text is None:
        raise _BrokenLineError('neither "html" nor "text"')
    return SourcePage(
        url=url,
        body=text,
        is_html=html is not None,
        title=_text(fields, "title") or None,
        last_modified=_text(fields, "last_modified"),
        fetched_at=_text(fields, "fetched_at"),
    )


def _text(fields: dict[str, Any], name: str) -> str | None:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise _BrokenLineError(f'"{name}" is not a string')
    return None if value is None else _HALF.sub("\ufffd", value)


def _is_url(url: str) -> bool:
    if _CONTROL.search(url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
