"""Measure where visitors' questions find their passage: before the reader, after it, and what is answered.

    python -m scripts.research.retrieval.measure_retrieval larkmoor [--half work] [--json] [--missed 10]
    python -m scripts.research.retrieval.measure_retrieval quennell --pages var/quennell.jsonl [--most 400]
        [--unseen]
    LODGE_DATA=… python -m scripts.research.retrieval.measure_retrieval uci|cmu-sai|cmu-xiaobin|government
        --pages F

By default the reader is left out: what is before it is measured in a tenth of the time. `--strategy
hybrid+rerank` has it read. Over the current snapshot of `LODGE_HOME`, or a cached one of `--pages`. A
question's gold passages are the chunks that hold its quote; a quote that was cut in two is known by most of
its words on its own page. `right` is judged by the strings that a right answer must have, where a set names
them, and else by the answer's words or most of the quote's, which is strict: what is right in other words
counts as wrong. `leads` is the share of the right answers whose first quote alone is right; `chars` is the
mean length of those that are shown as answers. The half `aside` prints no question.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from statistics import mean, quantiles
from typing import Any, Literal

from corpus.sites.build import NAMES
from corpus.visitors import page_texts
from corpus.visitors.sets import OF_SEVERAL_SITES, is_kept_aside, read_larkmoor, read_page_questions
from scripts.research.reader.mining import find_words, holds_most
from server.ask.pipeline import Asker
from server.evaluate.questions import holds_all
from server.evaluate.significance import share_interval
from server.models import Answer, Final, Passage, Question, Tier, Trace
from server.settings import Settings
from server.wiring.measuring import open_ground

AFTER = {"retrieved": "retrieve", "before_reader": "boost", "after_reader": "rerank"}
READER = ("rerank", "extract", "generate", "ground", "refuse", "freshness")
FIRST = (1, 3, 10)
PART_OF_QUOTE = 0.7
JUDGED: tuple[tuple[str, Tier, bool], ...] = (
    ("right", "answer", True),
    ("wrong", "answer", False),
    ("seems_right", "seems", True),
    ("seems_wrong", "seems", False),
    ("refused_hinted", "refusal", True),
)
REFUSALS = ("wrongly_refused", "wrongly_answered", "seems_unanswerable")
OF_OTHERS = ("government", "uci", "cmu-sai", "cmu-xiaobin")
SETS = ("larkmoor", *NAMES, "handbook", *OF_OTHERS)
_WORD = re.compile(r"\w+")
_SOURCE = re.compile(r"\[\d{1,3}\]")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of any set, as this script needs it."""

    id: str
    text: str
    kind: str
    answerable: bool
    urls: frozenset[str]
    quotes: tuple[str, ...]
    must_have: tuple[tuple[str, ...], ...] = ()
    history: tuple[tuple[str, str], ...] = ()
    day: str | None = None
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a question: the gold passage's rank after each step (None: not among them)."""

    asked: Asked
    ranks: Mapping[str, int | None]
    tier: Tier
    right: bool | None
    ms: float
    answer: str


def larkmoor_questions(half: Literal["work", "aside"]) -> list[Asked]:
    """The visitors' questions over the demo site."""
    return [
        Asked(
            row.id,
            row.question,
            row.kind,
            row.answerable,
            frozenset(row.gold_urls),
            row.passages,
            row.must_have,
            row.history,
            row.day,
        )
        for row in read_larkmoor(half)
    ]


def page_questions(
    name: str, texts: Mapping[str, str], *, unseen: bool = False, source: str | None = None
) -> list[Asked]:
    """A set whose questions were each written from a page; `texts` are those pages, by URL.

    `unseen`: those of pages alone that nothing is learnt from. `source`: those of one data set.
    """
    asked = []
    for row in read_page_questions(name):
        if (unseen and not is_kept_aside(row.url)) or source not in (None, row.source):
            continue
        quote = row.quote or (row.quote_at.of(texts[row.url]) if row.quote_at and row.url in texts else "")
        urls, quotes = frozenset([row.url, *row.other_urls]), (quote,) if quote else ()
        answer = row.cell or row.answer
        asked.append(
            Asked(row.id, row.question, row.kind, row.answerable, urls, quotes, day=row.day, answer=answer)
        )
    return asked


def ask_all(asker: Asker, questions: Iterable[Asked], strategy: str) -> Iterator[Outcome]:
    """Each question's way through the whole flow."""
    for asked in questions:
        yield _outcome(asked, *ask_with_trace(asker, asked, strategy))


def ask_with_trace(asker: Asker, asked: Asked, strategy: str) -> tuple[Answer, Trace]:
    """One question, on the day it was asked."""
    terms = replace(asker.options.terms, today=date.fromisoformat(asked.day[:10])) if asked.day else None
    by = asker.otherwise(replace(asker.options, terms=terms)) if terms else asker
    question = Question(asked.text, "c", "m", "t", strategy=strategy, history=asked.history)
    final = next(event for event in by.ask(question) if isinstance(event, Final))
    return final.answer, final.trace


def _outcome(asked: Asked, answer: Answer, trace: Trace) -> Outcome:
    is_gold = gold_passages(asked, trace.passages.values())
    ranks = {name: _rank(trace, step, is_gold) for name, step in AFTER.items()}
    if not any(step.step == "rerank" for step in trace.steps):
        ranks["after_reader"] = ranks["before_reader"]
    ms = sum(step.ms for step in trace.steps if "." not in step.step and step.step not in READER)
    return Outcome(asked, ranks, answer.tier, is_right(answer, asked), ms, answer.answer)


def is_right(answer: Answer, asked: Asked) -> bool | None:
    """Whether what is shown says what its question's writer found; None where that is not known."""
    return _says(
        " ".join(page.quote for page in answer.closest_pages) if answer.refused else answer.answer, asked
    )


def _says(shown: str, asked: Asked) -> bool | None:
    if asked.must_have:
        return holds_all(shown, asked.must_have)
    if not asked.quotes:
        return None
    return bool(asked.answer and find_words(shown, asked.answer)) or holds_most(shown, asked.quotes[0])


def _rank(trace: Trace, step: str, is_gold: frozenset[int]) -> int | None:
    """The best rank over the parts of a line."""
    found = [
        rank
        for one in trace.steps
        if one.step == step
        for rank, hit in enumerate(one.ranking, 1)
        if hit.chunk_id in is_gold
    ]
    return min(found, default=None)


def gold_passages(asked: Asked, passages: Iterable[Passage]) -> frozenset[int]:
    """The ids of those passages that hold one of the question's quotes, or its page where it has none."""
    return frozenset(one.chunk_id for one in passages if _holds(one, asked))


def _holds(passage: Passage, asked: Asked) -> bool:
    on_page = passage.url in asked.urls
    if not asked.quotes:
        return on_page
    words = _words(f"{passage.title} {passage.heading} {passage.text}")
    line, known = " ".join(words), set(words)
    for quote in asked.quotes:
        wanted = _words(quote)
        if " ".join(wanted) in line and (on_page or len(wanted) > 5):
            return True
        if on_page and sum(word in known for word in wanted) >= PART_OF_QUOTE * len(wanted):
            return True
    return False


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Shares with 95 % intervals; a share of nothing is absent."""
    known = [one for one in outcomes if one.asked.answerable]
    unknown = [one for one in outcomes if not one.asked.answerable]
    table: dict[str, Any] = {"questions": len(outcomes)}
    for name in AFTER:
        for k in FIRST:
            table[f"{name}@{k}"] = _share(known, partial(_within, name, k))
    judged = [one for one in known if one.right is not None]
    for name, tier, right in JUDGED:
        table[name] = _share(judged, partial(_judged, tier, right))
    table["wrongly_refused"] = _share(known, lambda one: one.tier == "refusal")
    table["wrongly_answered"] = _share(unknown, lambda one: one.tier == "answer")
    table["seems_unanswerable"] = _share(unknown, lambda one: one.tier == "seems")
    if len(outcomes) > 1:
        cuts = quantiles([one.ms for one in outcomes], n=20)
        table["ms_before_reader"] = {"p50": round(cuts[9], 1), "p95": round(cuts[18], 1)}
    shown = [one for one in judged if one.tier == "answer"]
    table["leads"] = _share([one for one in shown if one.right], _leads)
    if shown:
        table["chars"] = round(mean(len(one.answer) for one in shown))
    return {name: value for name, value in table.items() if value is not None}


def _leads(one: Outcome) -> bool:
    """Whether what stands before its first source's number is right by itself."""
    return bool(_says(_SOURCE.split(one.answer, maxsplit=1)[0], one.asked))


def _within(step: str, k: int, one: Outcome) -> bool:
    return (one.ranks[step] or k + 1) <= k


def _judged(tier: Tier, right: bool, one: Outcome) -> bool:
    return (one.tier, one.right) == (tier, right)


def _share(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> dict[str, float] | None:
    if not outcomes:
        return None
    found = share_interval(sum(holds(one) for one in outcomes), len(outcomes))
    return {"value": round(found.value, 3), "low": round(found.low, 3), "high": round(found.high, 3)}


def print_table(outcomes: Sequence[Outcome]) -> None:
    """A row a kind, the whole set last."""
    kinds = sorted({one.asked.kind for one in outcomes})
    columns = ["before_reader@1", "before_reader@3", "before_reader@10", "after_reader@1", "after_reader@3"]
    columns += [*(name for name, _, _ in JUDGED), *REFUSALS, "leads"]
    print("| kind | n | " + " | ".join(columns) + " |\n|---|---|" + "---|" * len(columns))
    for kind in [*kinds, None]:
        table = figures([one for one in outcomes if kind in (None, one.asked.kind)])
        cells = [f"{table[name]['value']:.3f}" if name in table else "" for name in columns]
        print(f"| {kind or 'all'} | {table['questions']} | " + " | ".join(cells) + " |")


def print_missed(outcomes: Sequence[Outcome], most: int) -> None:
    """Questions whose passage is not the first before the reader, the farthest first."""
    missed = [one for one in outcomes if one.asked.answerable and one.ranks["before_reader"] != 1]
    missed.sort(key=lambda one: -(one.ranks["before_reader"] or 999))
    for one in missed[:most]:
        print(f"\n{one.asked.id} [{one.asked.kind}] {one.asked.text}\n  gold {one.asked.quotes[:1]}")
        print(f"  ranks {dict(one.ranks)}; {one.tier}: {one.answer[:200]!r}")


def questions_of(name: str, half: Literal["work", "aside"], *, unseen: bool = False) -> list[Asked]:
    """The questions of a set by its name on the command line."""
    if name == "larkmoor":
        return larkmoor_questions(half)
    data = Path(os.environ.get("LODGE_DATA", ""))
    if name == "handbook":
        return page_questions(name, page_texts.handbook(data), unseen=unseen)
    if name == "government":
        return page_questions(name, page_texts.pages_file(data, "doc2dial"), unseen=unseen)
    if name in OF_OTHERS:
        rows = [row for row in read_page_questions("uci_cmu") if row.source == name]
        wanted = frozenset(row.url for row in rows)
        texts = page_texts.uci(data, wanted) if name == "uci" else page_texts.pages_file(data, name)
        return page_questions("uci_cmu", texts, unseen=unseen, source=name)
    return page_questions(name, {}, unseen=unseen)


def main() -> None:
    """Read the arguments, ask everything, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", choices=SETS)
    parser.add_argument("--half", choices=("work", "aside"), default="work")
    parser.add_argument("--pages", type=Path)
    parser.add_argument("--strategy", default="hybrid", help="hybrid reads nothing, and is ten times as fast")
    parser.add_argument("--most", type=int, help="ask so many questions, spread over the set")
    parser.add_argument("--matching", default="", help="ask only what this regular expression is found in")
    parser.add_argument("--asked-as", default="{}", help="how each is put: '{} at UC Irvine'")
    parser.add_argument(
        "--of", choices=tuple(OF_SEVERAL_SITES.values()), help="ask those of this set over the site instead"
    )
    parser.add_argument("--unseen", action="store_true", help="of pages alone that nothing was learnt from")
    parser.add_argument("--missed", type=int, default=0, help="print so many questions that were missed")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    if given.of:
        questions = page_questions(given.of, {}, unseen=given.unseen, source=given.set)
    else:
        questions = questions_of(given.set, given.half, unseen=given.unseen)
    wanted = re.compile(given.matching, re.IGNORECASE)
    put = str(given.asked_as).format
    questions = [replace(one, text=put(one.text)) for one in questions if wanted.search(one.text)]
    if given.most:
        questions = questions[:: max(1, len(questions) // given.most)]
    settings = Settings.read(os.environ)
    with open_ground(settings, given.pages) as ground:
        note = partial(print, file=sys.stderr)
        ground.prepare(note, note)
        outcomes = list(ask_all(ground.asker(settings), questions, given.strategy))
    if given.json:
        print(json.dumps(figures(outcomes), indent=1))
        return
    print_table(outcomes)
    print(f"before the reader: {figures(outcomes)['ms_before_reader']} ms a line")
    if given.half == "work":
        print_missed(outcomes, given.missed)


if __name__ == "__main__":
    main()
