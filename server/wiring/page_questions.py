"""Questions that are known to be answered by a page, from a questions file and from what editors keep."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from server.evaluate.questions import read_questions
from server.index.page_questions import SampleQuestion
from server.workbench.records import Records


def of_file(file: str) -> Iterator[SampleQuestion]:
    """Those of a questions file, for each of their `gold_urls`; a line that cannot be read is passed over.

    `BadInputError` where there is no such file. No file named: none.
    """
    for one in read_questions(Path(file), lambda line, why: None) if file else ():
        yield from (SampleQuestion(one.question, url) for url in one.gold_urls)


def of_records(records: Records) -> Iterator[SampleQuestion]:
    """Editors' phrasings, for the pages that their answers link to, and golden questions for theirs."""
    for curated in records.curation.curated():
        for phrasing in curated.phrasings:
            yield from (SampleQuestion(phrasing, url) for _, url in curated.links)
    for golden in records.golden.all():
        if not golden.refuse:
            yield from (SampleQuestion(golden.question, url) for url in golden.pages)
