"""Questions from pages: each page is asked about once, what came of it is kept, and a killed run goes on.

Beside the questions file is its journal, a JSON line a page, written before the next page is begun; the
questions file is made of it at the end. A page whose text has changed is asked about anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from server.errors import BadInputError
from server.training.asking import Count, GeneratedQuestion, PageChunks, Write, ask_for_questions
from server.training.keeping import Search, is_found, rephrasings, why_dropped

# Called with pages done, pages, questions kept, dropped, and tokens spent.
OnProgress = Callable[[int, int, int, int, int], None]


@dataclass(frozen=True, slots=True)
class WritingOptions:
    """How many questions a page; the tokens that all prompts and replies together may have, 0: any number;
    the tokens of a prompt."""

    per_page: int = 5
    budget: int = 0
    room: int = 1500


@dataclass(frozen=True, slots=True)
class PageRecord:
    """What came of a page: lines of the questions file; dropped ones as (reason, question, answer)."""

    url: str
    key: str
    tokens: int
    tries: int
    questions: tuple[dict[str, Any], ...]
    dropped: tuple[tuple[str, str, str], ...]


@dataclass(slots=True)
class QuestionReport:
    """What a run brought. `left` pages were not asked about, as the budget was spent."""

    pages: int = 0
    left: int = 0
    tokens: int = 0
    questions: int = 0
    rephrased: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    def add(self, record: PageRecord) -> None:
        """Count a page."""
        self.pages += 1
        self.tokens += record.tokens
        self.questions += sum(row["made_by"] == "model" for row in record.questions)
        self.rephrased += sum(row["made_by"] != "model" for row in record.questions)
        self.dropped.update(reason for reason, _, _ in record.dropped)

    def as_json(self) -> dict[str, Any]:
        """The report as one JSON object."""
        return {**asdict(self), "dropped": dict(self.dropped.most_common())}


def write_questions(  # noqa: PLR0913, PLR0917  (pages, the parts that work on them, and where to)
    pages: Sequence[PageChunks],
    file: Path,
    options: WritingOptions,
    write: Write,
    count: Count,
    search: Search,
    on_progress: OnProgress = lambda *_: None,
) -> QuestionReport:
    """Ask about every page that the journal does not have yet, and write the questions file.

    A `LodgeError` of the model ends it, with all that was written before in the journal.
    """
    journal = file.with_name(file.name + ".journal")
    done = {record.key: record for record in read_journal(journal)}
    wanted = {page_key(page, options.per_page): page for page in pages}
    report = QuestionReport()
    for key in wanted.keys() & done.keys():
        report.add(done[key])
    for key, page in wanted.items():
        on_progress(report.pages, len(wanted), report.questions, report.dropped.total(), report.tokens)
        if key in done:
            continue
        if options.budget and report.tokens >= options.budget:
            break
        done[key] = ask_page(page, key, options, write, count, search)
        _append(journal, done[key])
        report.add(done[key])
    report.left = len(wanted) - report.pages
    _write_file(file, [row for key in wanted if key in done for row in done[key].questions])
    return report


def ask_page(  # noqa: PLR0913, PLR0917  (as above)
    page: PageChunks, key: str, options: WritingOptions, write: Write, count: Count, search: Search
) -> PageRecord:
    """The questions of a page that hold, with rephrasings that are found too; the others with why not."""
    asked = ask_for_questions(page, options.per_page, options.room, write, count)
    kept: list[GeneratedQuestion] = []
    dropped: list[tuple[str, str, str]] = []
    for one in asked.questions:
        reason = why_dropped(one, page, kept, search)
        if reason:
            dropped.append((reason, one.question, one.answer))
        else:
            kept.append(one)
    if not asked.questions:
        dropped.append(("no_json", "", ""))
    rows = tuple(row for n, one in enumerate(kept, 1) for row in _rows(one, f"{key}-{n}", page, search))
    return PageRecord(page.url, key, asked.tokens, asked.tries, rows, tuple(dropped))


def _rows(one: GeneratedQuestion, id_: str, page: PageChunks, search: Search) -> Iterator[dict[str, Any]]:
    """Lines of the questions file (DESIGN.md, section 4); `made_by` is ours."""
    row = {
        "id": id_,
        "question": one.question,
        "answers": [one.answer],
        "gold_urls": [page.url],
        "answerable": True,
        "made_by": "model",
    }
    yield row
    for how, text in rephrasings(one.question):
        if is_found(text, one.answer, page.url, search):
            yield {**row, "id": f"{id_}-{how}", "question": text, "made_by": how}


def page_key(page: PageChunks, per_page: int) -> str:
    """What a page's record is kept under: 12 hexadecimal digits of its address, text and number asked."""
    texts = (page.url, str(per_page), *(chunk.text for chunk in page.chunks))
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:12]


def read_journal(file: Path) -> Iterator[PageRecord]:
    """The pages that were done; a last line that a kill tore is left out, and cut off the file."""
    if not file.is_file():
        return
    content = file.read_bytes()
    whole, _, torn = content.rpartition(b"\n")
    if torn:
        os.truncate(file, len(content) - len(torn))
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            row = json.loads(line)
            yield PageRecord(
                **{**row, "questions": tuple(row["questions"]), "dropped": tuple(map(tuple, row["dropped"]))}
            )
        except (ValueError, KeyError, TypeError) as error:
            raise BadInputError(f"{file}, line {number} is no page's record: {error!r}.") from error


def _append(journal: Path, record: PageRecord) -> None:
    journal.parent.mkdir(parents=True, exist_ok=True)
    with journal.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(record), ensure_ascii=False) + "\n")
        lines.flush()
        os.fsync(lines.fileno())


def _write_file(file: Path, rows: Iterable[dict[str, Any]]) -> None:
    """A file that is there whole or not at all."""
    aside = file.with_name(f".{file.name}-{os.getpid()}")
    aside.parent.mkdir(parents=True, exist_ok=True)
    aside.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    aside.replace(file)
