"""What the reader learns from: question sets as pages to index and questions to ask of them.

SQuAD 1.1 and 2.0 (Rajpurkar et al. 2016, 2018; CC BY-SA 4.0), question–sentence pairs made from SQuAD's own
training articles (CC BY-SA 4.0), MedQuAD (Ben Abacha & Demner-Fushman 2019; CC BY 4.0), the English part of
TyDi QA (Clark et al. 2020; Apache-2.0), search-engine questions (NQ-open, CC BY-SA 3.0), and the visitors'
questions of `corpus/visitors` that may be learnt from.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

from corpus.sites.build import HERE as SITES
from corpus.sites.build import NAMES, Site
from corpus.visitors import page_texts
from corpus.visitors.sets import OF_SEVERAL_SITES, PageQuestion, is_kept_aside, read_page_questions
from scripts.data_files import read_rows

# Every fourth of SQuAD's open articles, in the order of their titles, is kept for validation.
VALIDATION_ARTICLES = (
    "Apollo_program",
    "Construction",
    "Force",
    "Immune_system",
    "Kenya",
    "Oxygen",
    "Steam_engine",
    "Victoria_and_Albert_Museum",
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a source; `answers` are (text, offset in the gold page's text or -1), none: unanswerable.

    `gold_url` is the page it was asked of, `other_urls` are pages that answer it too. `spans` says whether
    the answers' places may be learnt. `quote` are the words in which an answer counts, "": any.
    """

    id: str
    question: str
    gold_url: str
    answers: tuple[tuple[str, int], ...]
    answerable: bool = True
    spans: bool = True
    other_urls: tuple[str, ...] = ()
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """Pages, in the pages file's format, and the questions that were asked of them."""

    name: str
    pages: Sequence[dict[str, str]]
    asked: Sequence[Asked]
    files: tuple[Path, ...] = field(default=())


def squad(data: Path, *, validation: bool) -> Source:
    """SQuAD's open articles: all pages, and the questions of one side of the split.

    Answerable questions are 1.1's; 2.0 adds those that its own page does not answer.
    """
    files = (data / "squad/open-v1.1.json.gz", data / "squad/open-v2.0.json.gz")
    pages: dict[str, dict[str, str]] = {}
    asked: dict[str, Asked] = {}
    for file in files:
        for title, number, paragraph in paragraphs(file):
            text = paragraph["context"]
            url = next((u for u, p in pages.items() if p["text"] == text), f"https://squad/{title}/{number}")
            pages.setdefault(url, {"url": url, "title": title.replace("_", " "), "text": text})
            if (title in VALIDATION_ARTICLES) is not validation:
                continue
            for qa in paragraph["qas"]:
                asked.setdefault(qa["id"], _squad_question(qa, url))
    return Source("squad", list(pages.values()), list(asked.values()), files)


def _squad_question(qa: dict[str, Any], url: str) -> Asked:
    possible = not qa.get("is_impossible", False)
    answers = tuple((a["text"], int(a["answer_start"])) for a in qa["answers"]) if possible else ()
    return Asked(qa["id"], qa["question"], url, answers, possible)


def paragraphs(file: Path) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """(article's title, number in it from 0, paragraph) of one of SQuAD's files."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        articles = json.load(lines)["data"]
    for article in articles:
        for number, paragraph in enumerate(article["paragraphs"]):
            yield article["title"], number, paragraph


def sentence_pairs(data: Path) -> Source:
    """Questions and the sentences that answer them, each sentence a page of its own, without a title."""
    file = data / "pairs/squad-train-sentences.jsonl.gz"
    rows = read_rows(file)
    urls = {row["sentence"]: f"https://pairs/{n}" for n, row in enumerate(rows)}
    pages = [{"url": url, "title": "", "text": sentence} for sentence, url in urls.items()]
    asked = [
        Asked(f"pair-{n}", row["question"], urls[row["sentence"]], ((row["sentence"], 0),), spans=False)
        for n, row in enumerate(rows)
    ]
    return Source("sentences", pages, asked, (file,))


def medquad(data: Path) -> Source:
    """Questions about health with their answers, each answer a page titled with what it is about."""
    file = data / "pairs/medquad.jsonl.gz"
    rows = [row for row in read_rows(file) if row["answer"]]
    pages = [
        {"url": f"https://medquad/{n}", "title": row["focus"] or "", "text": row["answer"]}
        for n, row in enumerate(rows)
    ]
    asked = [
        Asked(f"med-{n}", row["question"], f"https://medquad/{n}", ((row["answer"], 0),), spans=False)
        for n, row in enumerate(rows)
    ]
    return Source("medquad", pages, asked, (file,))


def squad_train(data: Path) -> Source:
    """A third of SQuAD's training part with the questions of 2.0 that their paragraph does not answer."""
    return _contexts("squad-train", data, ("squad-train", "squad-train-unanswerable"))


def tydiqa(data: Path) -> Source:
    """Questions by people who had not seen the text."""
    return _contexts("tydiqa", data, ("tydiqa-en",))


def nq_open(data: Path) -> Source:
    """What people typed into a search engine."""
    return _contexts("nq-open", data, ("nq-open-gold",))


def new_wiki(data: Path) -> Source:
    """SQuAD's protocol over other articles (SQuADShifts, Miller et al. 2020; CC BY 4.0)."""
    return _contexts("new-wiki", data, ("squadshifts-newwiki",))


def wiki_tables(data: Path) -> Source:
    """WikiTableQuestions whose answer is a cell; each table a page, its row in which the answer counts known.

    Pasupat & Liang 2015; CC BY-SA 4.0. A row's place is lost where its cell stands in several rows.
    """
    path = data / "train" / "wikitablequestions.jsonl.gz"
    rows = [row for row in read_rows(path) if row["label"] == "cell" and len(row["answers"]) == 1]
    urls = {
        context: f"https://tables/{n}" for n, context in enumerate({row["context"]: None for row in rows})
    }
    pages = [{"url": url, "title": "", "html": _table_page(context)} for context, url in urls.items()]
    asked = [
        Asked(row["id"], row["question"], urls[row["context"]], ((text, -1),), quote=line)
        for row in rows
        for text, line in [_cell_and_row(row)]
        if line
    ]
    return Source("wiki-tables", pages, asked, (path,))


def _cell_and_row(row: dict[str, Any]) -> tuple[str, str]:
    """The answer and the one line of the table that holds it as a cell; "" where several or none do."""
    [answer] = row["answers"]
    lines = row["context"].split("\n")[1:]
    holding = [line for line in lines if answer["text"] in (cell.strip() for cell in line.split("|"))]
    return answer["text"], holding[0] if len(holding) == 1 else ""


def _table_page(context: str) -> str:
    """A table of `a | b` lines as a page; its first line is the header."""
    header, *lines = ([escape(cell.strip()) for cell in line.split("|")] for line in context.split("\n"))
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in line) + "</tr>" for line in lines)
    return f"<html><body><main><table><tr>{head}</tr>{body}</table></main></body></html>"


def _contexts(name: str, data: Path, files: Sequence[str]) -> Source:
    """Reading sets, each distinct context a page; a row without an answer is unanswerable."""
    paths = tuple(data / "train" / f"{file}.jsonl.gz" for file in files)
    rows = [row for path in paths for row in read_rows(path)]
    urls = {row["context"]: row.get("title", "") for row in rows}
    pages = [
        {"url": f"https://{name}/{n}", "title": title or "", "text": text}
        for n, (text, title) in enumerate(urls.items())
    ]
    by_text = {page["text"]: page["url"] for page in pages}
    asked = [
        Asked(
            row["id"],
            row["question"],
            by_text[row["context"]],
            tuple((one["text"], int(one["start"])) for one in row["answers"]),
            answerable=bool(row["answers"]),
        )
        for row in rows
    ]
    return Source(name, pages, asked, paths)


OWN_SITES = NAMES


def own_site_visitors(name: str, *, kept_aside: bool = False) -> Source:
    """Visitors' questions over one of the universities under corpus/sites."""
    return _visitors(name, _pages_of(name), kept_aside=kept_aside)


def own_site_others(kind: str, name: str, *, kept_aside: bool = False) -> Source:
    """Those of one site of a set over several: questions with a story, in other words than the page's, or
    that everybody asks. The source is called by both: "quennell-stories"."""
    questions = OF_SEVERAL_SITES[kind]
    rows = [row for row in read_page_questions(questions) if row.source == name]
    file = Path(f"corpus/visitors/{questions}.jsonl")
    return Source(f"{name}-{kind}", _pages_of(name), _asked(rows, kept_aside=kept_aside), (file,))


def _pages_of(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in Site(SITES / name).lines()]


HANDBOOK = "https://handbook.example/"  # its pages are known by their paths alone


def handbook_visitors(data: Path, *, kept_aside: bool = False) -> Source:
    """Visitors' questions over the 18F handbook, which is CC0."""
    texts = page_texts.handbook(data)
    pages = [{"url": HANDBOOK + path, "title": "", "text": text} for path, text in texts.items()]
    source = _visitors("handbook", pages, kept_aside=kept_aside)
    asked = [
        replace(one, gold_url=HANDBOOK + one.gold_url, other_urls=tuple(HANDBOOK + u for u in one.other_urls))
        for one in source.asked
    ]
    return replace(source, asked=asked)


def _visitors(name: str, pages: Sequence[dict[str, str]], *, kept_aside: bool) -> Source:
    asked = _asked(read_page_questions(name), kept_aside=kept_aside)
    return Source(name, pages, asked, (Path(f"corpus/visitors/{name}.jsonl"),))


def _asked(rows: Iterable[PageQuestion], *, kept_aside: bool) -> list[Asked]:
    return [_visitor(row) for row in rows if is_kept_aside(row.url) is kept_aside]


def _visitor(row: PageQuestion) -> Asked:
    answers = [row.cell or row.answer, row.quote] if row.answerable else []
    return Asked(
        row.id,
        row.question,
        row.url,
        tuple((text, -1) for text in answers if text),
        row.answerable,
        other_urls=row.other_urls,
        quote=row.quote,
    )
