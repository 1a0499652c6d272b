"""Visitors' questions as writer's examples: what Lodge's own search brings, and the sentence that answers.

The questions are those of `corpus/visitors` that may be learnt from, over Quennell, Tamsett Ferry and the 18F
handbook; no passage of a page that is kept aside is shown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from corpus.visitors.sets import PageQuestion, is_kept_aside, read_page_questions
from scripts.research.reader.mining import holds_quote, searchable
from scripts.research.reader.sources import HANDBOOK, Source, handbook_visitors, own_site_visitors
from server.ask.context import RetrieveOptions, parse_strategy
from server.ask.retrieve import retrieve
from server.ask.trace import TraceLog
from server.models import Passage
from server.settings import Settings
from server.training.examples import WriterExample
from server.training.targets import target_of, window

SITES = ("quennell", "tamsettferry", "handbook")
SHOWN = 3  # passages of an example
CUT = 0.6  # of them are cut around what answers, so that several fit a small model's room


def site_pages(site: str, data: Path) -> Source:
    """The pages of a site, as the reader's training has them."""
    return handbook_visitors(data) if site == "handbook" else own_site_visitors(site)


def visitor_examples(  # noqa: PLR0913  (a site, and how many of its questions)
    site: str, data: Path, settings: Settings, asked: int, seed: int, *, kept_aside: bool = False
) -> Iterator[WriterExample]:
    """So many of a site's questions, drawn by the seed, with what hybrid retrieval brings for each."""
    rows = [row for row in read_page_questions(site) if is_kept_aside(row.url) is kept_aside]
    draw = random.Random(f"{site} {seed}")
    rows = draw.sample(rows, len(rows))
    strategy, options = parse_strategy("hybrid"), RetrieveOptions()
    made = 0
    with searchable(site_pages(site, data), settings) as (index, embedder):
        for row in rows:
            if made == asked:
                return
            [vector] = embedder.embed_questions([row.question])
            found = retrieve(row.question, vector, strategy, options, index, TraceLog())[:10]
            example = _example(site, row, [one.passage for one in found], draw, kept_aside)
            if example is not None:
                made += 1
                yield example


def _example(
    site: str, row: PageQuestion, found: Sequence[Passage], draw: random.Random, kept_aside: bool
) -> WriterExample | None:
    prefix = HANDBOOK if site == "handbook" else ""
    own = {prefix + url for url in (row.url, *row.other_urls)}
    allowed = [one for one in found if kept_aside or not is_kept_aside(one.url.removeprefix(prefix))]
    if not row.answerable:
        shown = [_cut(one, "", draw) for one in allowed[:SHOWN]]
        return WriterExample(row.id, site, row.question, tuple(shown), None, "") if shown else None
    gold = next((one for one in allowed if one.url in own and holds_quote(one.text, row.quote)), None)
    said = target_of(row.cell or row.answer, row.quote, row.yes_no)
    if gold is None or said is None:
        return None
    # What may answer as well, unseen, is no rival.
    others = [one for one in allowed if one.url not in own and not holds_quote(one.text, row.quote)]
    place = min(allowed.index(gold), 1, len(others))
    shown = [*others[:place], gold, *others[place : SHOWN - 1]]
    passages = tuple(_cut(one, row.quote if one is gold else "", draw) for one in shown)
    return WriterExample(row.id, site, row.question, passages, place, said)


def _cut(passage: Passage, quote: str, draw: random.Random) -> Passage:
    """The passage as it is, or its sentences around the quote, or its first ones."""
    start = max(passage.text.find(quote), 0)
    if draw.random() > CUT or (quote and quote not in passage.text):
        return passage
    return replace(passage, text=window(passage.text, start, start + max(len(quote), 1)))
