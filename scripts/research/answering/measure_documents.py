"""Print the demo university's pages as PDF, and show how much of them is read again.

    LODGE_HOME=HOME python -m scripts.research.answering.measure_documents [--questions
        corpus/golden_questions.jsonl]

Chromium prints the main part of each page, in one column and in two. Of what is read of the HTML it says
which share of the words stands beside the same next word in the PDF's text, by our reader, by pdfplumber's
own text and by PDFium's, and which share of the tables' rows comes out word for word. With questions it also
builds snapshots under HOME, one of the HTML and one of each kind of PDF in its place, and asks over each.
"""

from __future__ import annotations

import argparse
import io
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pdfplumber
import pypdfium2  # type: ignore[import-untyped]  # it ships no types
from lxml import etree
from lxml import html as lxml_html
from tqdm import tqdm

from corpus.demo_site.site import DEFAULT_ORIGIN, Site
from scripts.browsing import chromium
from server.evaluate.evaluate import evaluate
from server.ingest.extract.extract import extract
from server.ingest.publish import SnapshotStore
from server.models import Document, SourcePage
from server.settings import Settings
from server.wiring.flow import build_embedder
from server.wiring.indexing import build_indexer
from server.wiring.measuring import open_ground, read_question_set

STRATEGY = "hybrid+rerank"
STYLES = {
    "one column": "body { font: 11pt/1.4 serif } td, th { padding: 2pt 6pt }",
    "two columns": "body { font: 9pt/1.4 serif; column-count: 2 } td, th { padding: 2pt 6pt }",
    "ruled tables": "body { font: 11pt/1.4 serif } table { border-collapse: collapse } "
    "td, th { border: 1px solid; padding: 2pt 6pt }",
}


def main_parts(site: Site) -> Mapping[str, str]:
    """The HTML of each page's main part under its title, by address."""
    parts = {}
    for path in site.pages:
        root = lxml_html.document_fromstring(site.render(path))
        main, title = root.find(".//main"), root.findtext(".//title") or ""
        etree.strip_elements(main, "nav", "script", with_tail=False)
        body = lxml_html.tostring(main, encoding="unicode")
        parts[DEFAULT_ORIGIN + path] = f"<title>{title}</title><body>{body}</body>"
    return parts


def printed(parts: Mapping[str, str], style: str) -> Iterator[tuple[str, bytes]]:
    """Each page as Chromium prints it; what is folded is unfolded before."""
    with chromium() as browser:
        page = browser.new_page()
        for url, part in tqdm(parts.items(), "printing"):
            page.set_content(part)
            page.add_style_tag(content=style)
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
            yield url, page.pdf(format="Letter", margin={"top": "1in", "bottom": "1in", "left": "1in"})


def with_pdfplumber(body: bytes) -> str:
    """What pdfplumber's own layout makes of it."""
    with pdfplumber.open(io.BytesIO(body)) as pdf:
        return "\n".join(page.extract_text() for page in pdf.pages)


def with_pdfium(body: bytes) -> str:
    """What PDFium gives as text."""
    return "\n".join(page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(body))


def read_pdf(url: str, body: bytes) -> Document:
    """As the index reads it."""
    return extract(SourcePage(url, body, is_html=False, content_type="application/pdf"))


def whole_text(document: Document) -> str:
    """Headings, each once, and blocks, as they come."""
    lines, path = [document.title], tuple[str, ...]()
    for section in document.sections:
        lines += [heading for heading in section.heading_path if heading not in path]
        lines += [block.text for block in section.blocks]
        path = section.heading_path
    return "\n".join(lines)


def in_order(wanted: str, text: str) -> tuple[int, int]:
    """How many of the wanted pairs of words the text has, and how many there are."""
    ours, theirs = (Counter(pairwise(one.split())) for one in (wanted, text))
    return (ours & theirs).total(), ours.total()


def report(parts: Mapping[str, str], style: str, pdfs: Mapping[str, bytes]) -> None:
    """The shares of words and of rows, and the seconds a page."""
    readers: dict[str, Callable[[str, bytes], str]] = {
        "ours": lambda url, body: whole_text(read_pdf(url, body)),
        "pdfplumber": lambda _, body: with_pdfplumber(body),
        "PDFium": lambda _, body: with_pdfium(body),
    }
    truth = {url: extract(SourcePage(url, part)) for url, part in parts.items()}
    for name, reader in readers.items():
        start, right, total = time.perf_counter(), 0, 0
        for url, body in pdfs.items():
            found, words = in_order(whole_text(truth[url]), reader(url, body))
            right, total = right + found, total + words
        seconds = (time.perf_counter() - start) / len(pdfs)
        print(f"{style}: {name:10} {right / total:.3f} of {total:,} pairs of words, {seconds:.2f} s a page")
    whole = rows = 0
    for url, document in truth.items():
        wanted, read = _rows(document), _rows(read_pdf(url, pdfs[url]))
        whole, rows = whole + len(wanted & read), rows + len(wanted)
    print(f"{style}: {whole / rows:.3f} of {rows} rows word for word")


_ROW_NAME = re.compile(r"^[^:—]{1,40}: (?=[^—]* — )")


def _rows(document: Document) -> set[str]:
    """The rows of its tables, without the header above their first cell."""
    blocks = (block for section in document.sections for block in section.blocks if block.kind == "table")
    return {_ROW_NAME.sub("", block.text) for block in blocks}


def ask(settings: Settings, pages: Sequence[SourcePage], questions: Path) -> dict[str, float]:
    """What becomes of the questions over a snapshot of these pages."""
    shelf = SnapshotStore(settings.current_snapshot.parent)
    shelf.publish(build_indexer(settings, shelf, build_embedder(settings)).index(pages).snapshot)
    asked = read_question_set(questions, print)
    with open_ground(settings, None) as ground:
        ground.prepare(print, print)
        [result] = evaluate(
            ground.asker(settings), asked.questions, (STRATEGY,), lambda _done, _all: None
        ).strategies
    return {name: figure.value for name, figure in result.metrics.items()}


def main() -> None:
    """Print what is read of every style, and what is answered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=Path)
    questions = parser.parse_args().questions
    settings, parts = Settings.read(os.environ), main_parts(Site())
    prints = {style: dict(printed(parts, css)) for style, css in STYLES.items()}
    for style, pdfs in prints.items():
        report(parts, style, pdfs)
    if questions is None:
        return
    kinds = {
        "HTML": [SourcePage(url, part) for url, part in parts.items()],
        **{
            style: [SourcePage(url, body, is_html=False) for url, body in pdfs.items()]
            for style, pdfs in prints.items()
        },
    }
    for number, (kind, pages) in enumerate(kinds.items()):
        figures = ask(replace(settings, home=settings.home / f"documents-{number}"), pages, questions)
        shown = ("recall@1", "answer@5", "answer_contains", "answered", "seems", "wrongly_refused")
        print(f"{kind}: {', '.join(f'{name} {figures[name]:.3f}' for name in shown)}")


if __name__ == "__main__":
    main()
