"""The pages and the questions that a site's scorecard is made of, in the formats of `lodge scorecard`.

    .venv/bin/python -m scripts.scored_sets quennell|uci|cmu-sai|cmu-xiaobin FOLDER

Writes FOLDER/pages.jsonl.gz and the site's question sets beside it. `questions.jsonl.gz` names answers,
`visitors.jsonl.gz` (of pages that are not ours to copy) whether there is one. What others have made is looked
for in `LODGE_DATA`, or `../shared/data`.

Right is judged by one rule everywhere: an answer holds a string that a right one must. Lodge quotes, so a
string that the pages do not have can be held by no answer, and a bare "yes" stands anywhere by chance. A
question keeps those of its answers alone that its page says word for word (or any page, where it names none);
one that is left with none is asked all the same, and not judged.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from corpus.sites.build import build
from corpus.visitors import page_texts
from corpus.visitors.sets import PageQuestion, is_kept_aside, read_page_questions
from scripts.data_files import read_rows
from server.evaluate.questions import normalised

DATA = Path("../shared/data")
OWN = ("quennell",)
TEAMS = ("cmu-sai", "cmu-xiaobin")
NAMES = (*OWN, "uci", *TEAMS)
PAGES, QUESTIONS, VISITORS = "pages.jsonl.gz", "questions.jsonl.gz", "visitors.jsonl.gz"
YES_OR_NO = frozenset({"yes", "no"})
Row = Mapping[str, Any]


def question_files(name: str) -> tuple[str, ...]:
    """The names of a site's question sets."""
    return (*((QUESTIONS,) if name != "uci" else ()), *((VISITORS,) if name not in OWN else ()))


def write_set(name: str, data: Path, folder: Path) -> None:
    """The site's pages and question sets, into a folder that is made. `OSError`: its data are not at hand."""
    folder.mkdir(parents=True, exist_ok=True)
    if name in OWN:
        build(name, folder / PAGES)
        _write(folder / QUESTIONS, own_questions(name))
        return
    _write(folder / VISITORS, visitors_questions(name))
    if name in TEAMS:
        shutil.copyfile(data / name / PAGES, folder / PAGES)
        texts = page_texts.pages_file(data, name)
        _write(folder / QUESTIONS, judgeable(read_rows(data / name / QUESTIONS), texts))
    else:
        documents = page_texts.uci_documents(data)
        _write(folder / PAGES, ({"url": url, "title": "", "html": html} for url, html in documents))


def own_questions(name: str) -> Iterator[Row]:
    """Those of our own over pages that nothing was learnt from."""
    kept = [one for one in read_page_questions(name) if is_kept_aside(one.url)]
    return judgeable(map(_with_answer, kept), page_texts.own_site(name))


def visitors_questions(source: str) -> Iterator[Row]:
    """Those over pages that are not ours to copy: whether the site answers is known, with what is not."""
    return (_line(one) for one in read_page_questions("uci_cmu") if one.source == source)


def judgeable(rows: Iterable[Row], texts: Mapping[str, str]) -> Iterator[Row]:
    """The questions, each with those of its answers alone that its pages say; `texts` by URL."""
    said = {url: f" {normalised(text)} " for url, text in texts.items()}
    for row in rows:
        own = [said[url] for url in row.get("gold_urls") or said if url in said]
        yield {**row, "answers": [one for one in row["answers"] if _is_said(one, own)]}


def _is_said(answer: str, texts: Sequence[str]) -> bool:
    words = normalised(answer)
    return bool(words) and words not in YES_OR_NO and any(f" {words} " in text for text in texts)


def _with_answer(one: PageQuestion) -> Row:
    return {**_line(one), "answers": [one.cell or one.answer] if one.answerable else []}


def _line(one: PageQuestion) -> Row:
    """A line of a questions file; its gold pages are those of which it was written."""
    gold = [one.url, *one.other_urls] if one.answerable else None
    day = one.day and one.day[:10]
    known = {"id": one.id, "question": one.question, "answers": [], "gold_urls": gold, "day": day}
    return {**known, "kind": one.kind, "answerable": one.answerable}


def _write(file: Path, rows: Iterable[Row]) -> None:
    """As JSON lines, the same bytes for the same rows."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    file.write_bytes(gzip.compress(lines.encode(), mtime=0))


def main(arguments: Sequence[str]) -> int:
    """Write what the command line names."""
    if len(arguments) != 2 or arguments[0] not in NAMES:
        sys.stderr.write(f"python -m scripts.scored_sets {{{','.join(NAMES)}}} FOLDER\n")
        return 2
    name, folder = arguments
    try:
        write_set(name, Path(os.environ.get("LODGE_DATA", DATA)), Path(folder))
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
