"""Measure how well pages are told apart by kind and audience, against labels given by reading them.

    python -m scripts.research.retrieval.measure_page_kinds --pages var/quennell.jsonl [--pages FILE …]
        [--crawl HOME]
    python -m scripts.research.retrieval.measure_page_kinds --responses ../shared/data/webkb/FOLDER [--most
        100]

The labels of our own sites are `corpus/page_kinds.jsonl`. A folder of responses has a `manifest.jsonl` whose
`page_class` says which pages are a person's (student, faculty, staff).
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from server.evaluate.significance import share_interval
from server.ingest.academic_terms import with_terms
from server.ingest.crawl.contents import read_pages
from server.ingest.extract.extract import extract
from server.ingest.page_kinds import with_kind
from server.ingest.pages_file import read_pages_file
from server.models import Document, SourcePage

LABELS = Path(__file__).resolve().parents[3] / "corpus" / "page_kinds.jsonl"
PEOPLE = {"student", "faculty", "staff"}
SEED = 18


def told(page: SourcePage) -> Document:
    """The page as an index run tells it."""
    document, _ = with_terms(extract(page), ())
    return with_kind(document, page)


def own_pages(files: Iterable[Path], homes: Iterable[Path]) -> Iterator[SourcePage]:
    """The pages of pages files and of crawls."""
    for file in files:
        yield from read_pages_file(file, lambda line, why: print(f"Line {line}: {why}"))
    for home in homes:
        yield from read_pages(home / "crawl")


def measure_own(pages: Iterable[SourcePage]) -> None:
    """Kinds and audiences against the labels, and each page that is told otherwise."""
    labels = {row["url"]: row for row in _rows(LABELS)}
    pairs = [(labels[page.url], told(page)) for page in pages if page.url in labels]
    kinds = Counter[tuple[str, str]]((label["kind"], found.kind) for label, found in pairs)
    print_kinds(kinds)
    meant = {(label["url"], one) for label, _ in pairs for one in label["audiences"]}
    shown = {(found.url, one) for _, found in pairs for one in found.audiences}
    print(f"audiences: precision {_share(meant & shown, shown)}, recall {_share(meant & shown, meant)}")
    for label, found in pairs:
        if (label["kind"], set(label["audiences"])) != (found.kind, set(found.audiences)):
            print(f"  {found.url}: {label['kind']} {label['audiences']}, told {found.kind} {found.audiences}")


def measure_people(folder: Path, most: int, skip: int) -> None:
    """People's pages among responses whose classes are known."""
    rows = sorted(_rows(folder / "manifest.jsonl"), key=lambda row: str(row["url"]))
    random.Random(SEED).shuffle(rows)
    kinds: Counter[tuple[str, str]] = Counter()
    for row in rows[skip : skip + most]:
        head, _, body = (folder / row["file"]).read_bytes().partition(b"\n\n")
        page = SourcePage(row["url"], body or head, content_type="text/html")
        label = "person" if row["page_class"] in PEOPLE else "other"
        kinds[label, "person" if told(page).kind == "person" else "other"] += 1
    print_kinds(kinds)


def print_kinds(counts: Counter[tuple[str, str]]) -> None:
    """Precision and recall of each kind that is meant or told."""
    right = sum(n for (label, found), n in counts.items() if label == found)
    print(f"{counts.total()} pages, {_share_of(right, counts.total())} right")
    for kind in sorted({kind for pair in counts for kind in pair}):
        right = counts[kind, kind]
        shown = sum(n for (_, found), n in counts.items() if found == kind)
        meant = sum(n for (label, _), n in counts.items() if label == kind)
        print(f"  {kind}: precision {_share_of(right, shown)}, recall {_share_of(right, meant)}")


def _share(part: set[Any], whole: set[Any]) -> str:
    return _share_of(len(part), len(whole))


def _share_of(part: int, whole: int) -> str:
    if not whole:
        return "–"
    found = share_interval(part, whole)
    return f"{found.value:.3f} ({found.low:.3f}–{found.high:.3f}, {part} of {whole})"


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main() -> None:
    """Read the arguments, tell every page, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=Path, action="append", default=[])
    parser.add_argument("--crawl", type=Path, action="append", default=[], help="a LODGE_HOME with a crawl")
    parser.add_argument("--responses", type=Path)
    parser.add_argument("--most", type=int, default=100)
    parser.add_argument(
        "--skip", type=int, default=0, help="leave out so many, which the rules were read from"
    )
    given = parser.parse_args()
    if given.responses:
        measure_people(given.responses, given.most, given.skip)
    else:
        measure_own(own_pages(given.pages, given.crawl))


if __name__ == "__main__":
    main()
