"""Measure follow-ups: does the question that stands alone find the page that the follow-up is about?

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.hearing.measure_followups [dialogues]
        [doc2dial] [followups]

Each follow-up is retrieved with in several forms: as it was typed; with all the turns before it in one
string; as ours has it; and, where there is one, as a person wrote it to stand alone. Rules and weights were
chosen on the dialogues that are not held out, on one half of doc2dial's conversations and on the follow-ups
of 2019; the others were kept for these figures. The golden questions after a dialogue on something else say
what a wrongly carried context costs.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from scripts.data_files import read_rows
from scripts.research.retrieval.compare_classifiers import demo_pages
from server.ask.caching_embedder import CachingEmbedder
from server.ask.context import RetrieveOptions, parse_strategy
from server.ask.contextualize import ContextualizedQuestion, contextualize_by_rules
from server.ask.conversation.challenge import verify_answer
from server.ask.conversation.turns import is_challenge
from server.ask.retrieve import Context, ContextIndex, blended, context_of, retrieve
from server.ask.trace import TraceLog
from server.evaluate.questions import contains_any
from server.evaluate.retrieval_metrics import match_pages
from server.ingest.publish import SnapshotStore
from server.models import Candidate
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder
from server.wiring.indexing import build_indexer
from server.wiring.measuring import cached_snapshot
from server.wiring.opened import OpenedSnapshot

SEED = 20261122
SAMPLE = 400
STRATEGY = parse_strategy("hybrid")
Turns = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Followup:
    """A last turn with those before it and what is known of its answer."""

    id: str
    question: str
    history: Turns
    gold_urls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    standalone: str = ""

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Followup:
        """A line of a questions file."""
        return cls(
            fields["id"],
            fields["question"],
            tuple((role, text) for role, text in fields["history"]),
            tuple(fields.get("gold_urls") or ()),
            tuple(fields.get("answers") or ()),
            fields.get("standalone") or fields.get("rewrite") or "",
        )

    @cached_property
    def joined(self) -> str:
        """Everything that was said, the question last."""
        return " ".join([*(text for _, text in self.history), self.question])


@dataclass
class Bench:
    """One site's snapshot, and how a question is retrieved with."""

    index: OpenedSnapshot
    embedder: CachingEmbedder

    def understood(self, followup: Followup) -> ContextualizedQuestion:
        """The follow-up as the rules have it."""
        return contextualize_by_rules(followup.question, followup.history, self.index.text, self.embedder)

    def retrieved(self, question: str, context: Context | None = None) -> list[Candidate]:
        """The candidates of a question, in a context if there is one."""
        context = context or Context("", "", 0.0)
        vector = blended(self.embedder.embed_question(question), context, self.embedder)
        within = ContextIndex(self.index, context) if context else self.index
        return retrieve(question, vector, STRATEGY, RetrieveOptions(), within, TraceLog())

    def ours(self, followup: Followup) -> list[Candidate]:
        """As the flow does it: a doubt is answered from the last answer's passages."""
        last = followup.history[-1][1]
        if is_challenge(followup.question, last):
            return self._rechecked(last)
        understood = self.understood(followup)
        return self.retrieved(understood.question, context_of(understood))

    def _rechecked(self, answer: str) -> list[Candidate]:
        checked = verify_answer(answer, (), self.index.keyword, self.index.snapshot)
        hits = [hit for c in checked.citations for hit in self.index.keyword.search(c.quote, 1)]
        passages = self.index.snapshot.passages([hit.chunk_id for hit in hits])
        return [Candidate(passages[hit.chunk_id], hit.score) for hit in hits]


Form = tuple[str, Callable[[Followup], list[Candidate]]]


def forms(bench: Bench, *, by_hand: bool) -> list[Form]:
    """The forms in which a follow-up is retrieved with."""
    rows: list[Form] = [
        ("as typed", lambda f: bench.retrieved(f.question)),
        ("all turns in one", lambda f: bench.retrieved(f.joined)),
        ("rewritten, without context", lambda f: bench.retrieved(bench.understood(f).question)),
        ("ours", bench.ours),
    ]
    return [*rows, ("by hand", lambda f: bench.retrieved(f.standalone))] if by_hand else rows


def retrieval_table(name: str, followups: Sequence[Followup], rows: Iterable[Form]) -> None:
    """Print a row a form: gold page at 1 and 5, a passage of it that holds the answer at 1 and 5."""
    for form, search in rows:
        ranks = np.array([_ranks(followup, search(followup)) for followup in followups])
        shares = [np.mean(ranks[:, column] <= k) for column in (0, 1) for k in (1, 5)]
        print(
            f"| {name} | {len(followups)} | {form} | " + " | ".join(f"{s:.3f}" for s in shares) + " |",
            flush=True,
        )


def _ranks(followup: Followup, found: Sequence[Candidate]) -> tuple[float, float]:
    """The rank of the first passage of a gold page, and of the first of those that holds an answer."""
    page = match_pages([c.passage.url for c in found], followup.gold_urls).first_rank or np.inf
    holding = [c.passage.url if contains_any(c.passage.text, followup.answers) else "" for c in found]
    return page, match_pages(holding, followup.gold_urls).first_rank or np.inf


def dialogues_table(bench: Bench) -> None:
    """The demo's dialogues, by what their last turn is; and its golden questions after a strange dialogue."""
    lines = read_rows(PROJECT / "corpus/dialogues.jsonl")
    kinds = sorted({line["id"].split("-")[1] for line in lines})
    for name, chosen in (
        ("dialogues, tuned on", [line for line in lines if not line["held_out"]]),
        ("dialogues, held out", [line for line in lines if line["held_out"]]),
        *((f"all {kind}", [line for line in lines if line["id"].split("-")[1] == kind]) for kind in kinds),
    ):
        retrieval_table(name, [Followup.of(line) for line in chosen], forms(bench, by_hand=True))
    strange = strangers(lines)
    retrieval_table("golden after a dialogue on something else", strange, forms(bench, by_hand=False))
    carried = np.mean([bench.understood(q).relation != "new_topic" for q in strange])
    print(f"\nTaken for a follow-up of a dialogue on something else: {carried:.3f} of {len(strange)}.\n")


def strangers(dialogues: Sequence[dict[str, Any]]) -> list[Followup]:
    """Each answerable golden question after a dialogue that none of its pages answers."""
    rng = random.Random(SEED)
    golden = [line for line in read_rows(PROJECT / "corpus/golden_questions.jsonl") if line["answerable"]]
    found = []
    for line in golden:
        others = [d for d in dialogues if not set(d["gold_urls"]) & set(line["gold_urls"])]
        found.append(Followup.of({**line, "history": rng.choice(others)["history"]}))
    return found


def doc2dial_turns(data: Path, half: int) -> list[Followup]:
    """A fixed sample of the later turns of one half of the conversations; half 0 was tuned on."""

    def half_of(line: dict[str, Any]) -> int:
        return int(hashlib.sha256(line["id"].split("_")[0].encode()).hexdigest(), 16) % 2

    lines = [line for line in read_rows(data / "doc2dial/questions.jsonl.gz") if line["history"]]
    chosen = random.Random(SEED).sample([line for line in lines if half_of(line) == half], SAMPLE)
    return [Followup.of(line) for line in chosen]


def followups_table(data: Path, bench: Bench) -> None:
    """TREC CAsT's turns that were changed by hand: what of that do we add, and how near do we come?"""
    turns = read_rows(data / "followups/cast-2019-2021.jsonl.gz")
    lines = [turn for turn in turns if turn["history"] and turn["changed"]]
    print("| follow-ups | turns | form | added words found | cosine to the hand's |")
    print("|---|---|---|---|---|")
    for name, years in (("2019, tuned on", ("cast19",)), ("2020 and 2021", ("cast20", "cast21"))):
        chosen = [Followup.of(line) for line in lines if line["id"].startswith(years)]
        for form, text_of in (
            ("as typed", lambda f: f.question),
            ("all turns in one", lambda f: f.joined),
            ("ours", lambda f: bench.understood(f).question),
        ):
            scores = [_likeness(followup, text_of(followup), bench) for followup in chosen]
            recall = np.mean([recall for recall, _ in scores if recall is not None])
            cosine = np.mean([cosine for _, cosine in scores])
            print(f"| {name} | {len(chosen)} | {form} | {recall:.3f} | {cosine:.3f} |", flush=True)


def _likeness(followup: Followup, text: str, bench: Bench) -> tuple[float | None, float]:
    """The share of the stems added by hand that the text has (None where none was), and the cosine."""
    by_hand, typed, ours = (
        set(bench.index.text.word_weights(t)) for t in (followup.standalone, followup.question, text)
    )
    added = by_hand - typed
    cosine = float(bench.embedder.embed_question(text) @ bench.embedder.embed_question(followup.standalone))
    return (len(added & ours) / len(added) if added else None), cosine


def main() -> None:
    """Print the tables that are asked for, or all."""
    wanted = sys.argv[1:] or ["dialogues", "doc2dial", "followups"]
    data = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
    settings = Settings.read(os.environ)
    embedder = build_embedder(settings)
    if {"dialogues", "doc2dial"} & set(wanted):
        print("| set | turns | form | page first | page in 5 | answer first | answer in 5 |")
        print("|---|---|---|---|---|---|---|")
    if "dialogues" in wanted:
        into = SnapshotStore(settings.home / "eval" / "demo-dialogues")
        into.publish(build_indexer(settings, into, embedder).index(demo_pages()).snapshot)
        dialogues_table(Bench(OpenedSnapshot(into.current.resolve()), CachingEmbedder(embedder)))
    if {"doc2dial", "followups"} & set(wanted):
        pages = data / "doc2dial/pages.jsonl.gz"
        current = cached_snapshot(settings, pages, embedder, lambda warning: None)
        bench = Bench(OpenedSnapshot(current.resolve()), CachingEmbedder(embedder))
        if "doc2dial" in wanted:
            for name, half in (("doc2dial, tuned on", 0), ("doc2dial, unseen", 1)):
                retrieval_table(name, doc2dial_turns(data, half), forms(bench, by_hand=False))
        if "followups" in wanted:
            followups_table(data, bench)


if __name__ == "__main__":
    main()
