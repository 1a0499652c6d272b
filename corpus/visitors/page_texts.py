"""The texts that quotes are located in: by URL, of our own sites and of the data sets beside the project."""

import gzip
import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lxml.html
from lxml.etree import _Element

from corpus.demo_site.site import DEFAULT_ORIGIN
from corpus.demo_site.site import Site as DemoSite
from corpus.sites.build import HERE as SITES
from corpus.sites.build import Site

BLOCKS = frozenset(
    re.findall(
        r"\w+",
        "address article aside blockquote br button body caption center dd details div dl dt fieldset "
        "figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr label legend li main nav ol option p pre "
        "section select summary table tbody td textarea tfoot th thead tr ul",
    )
)
UNSEEN = frozenset(["script", "style", "noscript", "template", "head", "title"])
XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*>")


def visible_text(document: str) -> str:
    """The text of an HTML document's body: a space at each block's edges, all white space folded.

    Menus, banners and footers are in it, and what is folded away or hidden by a style.
    """
    return " ".join("".join(_pieces(lxml.html.document_fromstring(document))).split())


def _pieces(element: _Element) -> Iterator[str]:
    if not isinstance(element.tag, str) or element.tag in UNSEEN:
        return
    edge = " " if element.tag in BLOCKS else ""
    yield edge + (element.text or "")
    for child in element:
        yield from _pieces(child)
        yield child.tail or ""
    yield edge


def larkmoor() -> dict[str, str]:
    """The demo site's pages as they are served, those under a second address included."""
    site = DemoSite()
    paths = [*site.pages, *site.also_at]
    return {DEFAULT_ORIGIN + path: visible_text(site.render(path).decode()) for path in paths}


def own_site(name: str) -> dict[str, str]:
    """The pages of a site under corpus/sites/."""
    return {line["url"]: visible_text(line["html"]) for line in map(json.loads, Site(SITES / name).lines())}


def handbook(data: Path) -> dict[str, str]:
    """The 18F handbook's pages, by the path each has in its repository; Markdown."""
    return {row["id"]: row["passage"] for row in _packed(data / "train" / "pages-18f-handbook.jsonl.gz")}


def pages_file(data: Path, name: str) -> dict[str, str]:
    """The pages of a data set that has them as text: doc2dial, cmu-xiaobin, cmu-sai."""
    return {row["url"]: row["text"] for row in _packed(data / name / "pages.jsonl.gz")}


def uci(data: Path, urls: frozenset[str]) -> dict[str, str]:
    """Those of the UC Irvine crawl's pages that are wanted."""
    return {url: visible_text(html) for url, html in uci_documents(data) if url in urls}


def uci_documents(data: Path) -> Iterator[tuple[str, str]]:
    """Every response of the UC Irvine crawl, all of them HTML: its URL and its document."""
    with tarfile.open(data / "uci" / "archive.tar.xz") as archive:
        files = {member.name: archive.extractfile(member) for member in archive if member.isfile()}
        contents = {name: file.read() for name, file in files.items() if file}
    for row in map(json.loads, contents["manifest.jsonl"].splitlines()):
        yield row["url"], _body(contents[row["file"]])


def _body(response: bytes) -> str:
    """The document of a raw HTTP response, without an XML declaration, which lxml refuses in a string."""
    _, _, body = response.partition(b"\r\n\r\n")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        text = body.decode("latin-1")
    return XML_DECLARATION.sub("", text)


def _packed(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
