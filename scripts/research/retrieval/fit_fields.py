"""Fit the keyword search's weights to visitors' questions, or show what each of them brings.

    python -m scripts.research.retrieval.fit_fields larkmoor=HOME quennell=HOME tamsettferry=HOME [--fit]
        [--most 400]

Over the live snapshot of each `LODGE_HOME`. Without `--fit` a table: each field and the synonyms left out,
one by one, for each set "@1/@3/@10/MRR@10" of the gold passage before the reader. With it, coordinate
ascent from the weights that ship, by the mean over the sets of MRR@10 and of the three shares, until nothing
gains .001.
"""

from __future__ import annotations

import argparse
import math
import os
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scripts.research.retrieval.measure_retrieval import Asked, gold_passages, questions_of
from server.ask.pipeline import Asker
from server.index.fields import K1, OF_CHUNKS, OF_PAGES, SPREAD, address_words
from server.index.search import Index, KeywordIndex
from server.index.text import SYNONYM_WEIGHT, Concept, load_synonyms
from server.models import Final, Question
from server.settings import Settings
from server.wiring.measuring import open_ground

Scores = npt.NDArray[np.float64]
Weights = Mapping[str, float]
DEPTH = 50
UNRANKED = 999
LEAST_GAIN = 0.001
STEPS = (0.0, 0.2, 0.3, 0.5, 0.75, 0.8, 1.0, 1.2, 1.5, 2.0)
SHARES = ("b.", "spread", "synonyms", "alpha")

_ROWS = """
SELECT page_id, url, chunks.title, heading, text, array_to_string(anchors, ' ') AS anchors, description
FROM chunks JOIN pages USING (page_id) ORDER BY chunk_id
"""


def shipped(settings: Settings) -> dict[str, float]:
    """The weights as they are: `w.title`, `b.title`, …, `k1`, `spread`, `synonyms`, `alpha`."""
    fields = {**OF_CHUNKS, **OF_PAGES}
    weights = {f"w.{name}": field.weight for name, field in fields.items()}
    lengths = {f"b.{name}": field.b for name, field in fields.items()}
    others = {"k1": K1, "spread": SPREAD, "synonyms": SYNONYM_WEIGHT, "alpha": settings.fusion_alpha}
    return weights | lengths | others


class FieldStatistics:
    """How often each stem stands in each field of each chunk of a snapshot, and how long the fields are."""

    def __init__(self, index: Index) -> None:
        rows = index.snapshot.rows(_ROWS)
        self.chunks = len(rows)
        pages = np.array([row[0] for row in rows])
        self._share = 1.0 / np.bincount(pages)[pages]
        texts = [(*row[2:], address_words(row[1])) for row in rows]
        self._found: dict[str, dict[str, tuple[list[int], list[int]]]] = {}
        self._relative: dict[str, Scores] = {}
        for name, column in zip([*OF_CHUNKS, *OF_PAGES], zip(*texts, strict=True), strict=True):
            found: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
            lengths = np.zeros(self.chunks)
            for i, text in enumerate(column):
                words = Counter(
                    stem for word in (text or "").split() for stem in index.text.content_stems(word)
                )
                lengths[i] = words.total()
                for stem, times in words.items():
                    found[stem][0].append(i)
                    found[stem][1].append(times)
            self._found[name] = found
            self._relative[name] = lengths / (lengths[lengths > 0].mean() if lengths.any() else 1)

    def frequency(self, stem: str) -> int:
        """In how many chunks it stands."""
        own = {i for name in OF_CHUNKS for i in self._found[name].get(stem, ((),))[0]}
        return len(own or {i for name in OF_PAGES for i in self._found[name].get(stem, ((),))[0]})

    def scores(self, stem: str, by: Weights) -> Scores:
        """Its BM25F in every chunk."""
        tf = np.zeros(self.chunks)
        for name, found in self._found.items():
            if stem in found and by[f"w.{name}"]:
                ids, times = np.array(found[stem][0]), np.array(found[stem][1], float)
                share = self._share[ids] ** by["spread"] if name in OF_PAGES else 1.0
                b = by[f"b.{name}"]
                tf[ids] += by[f"w.{name}"] * share * times / (1 - b + b * self._relative[name][ids])
        frequency = self.frequency(stem)
        idf = math.log((self.chunks - frequency + 0.5) / (frequency + 0.5) + 1)
        scores: Scores = idf * tf * (by["k1"] + 1) / (tf + by["k1"])
        return scores


class QuestionSet:
    """Questions over one home's snapshot, ready to be ranked by any weights."""

    def __init__(self, asked: Sequence[Asked], home: Path) -> None:
        settings = Settings.read({**os.environ, "LODGE_HOME": str(home)})
        with open_ground(settings, None) as ground, ground.live.lease() as index:
            keyword = KeywordIndex(index.snapshot, index.text, load_synonyms(settings.synonyms_file))
            self._statistics = FieldStatistics(index)
            passages = index.snapshot.passages(range(self._statistics.chunks)).values()
            asker, embedder = ground.asker(settings), ground.embedder
            self._asked: list[tuple[frozenset[int], list[tuple[list[Concept], Scores, float]]]] = []
            for one in asked:
                parts = [
                    (
                        keyword.concepts(text),
                        (index.snapshot.vectors @ embedder.embed_question(text)).astype(np.float64),
                        math.fsum(index.text.word_weights(text).values()),
                    )
                    for text in searched(asker, one)
                ]
                self._asked.append((gold_passages(one, passages), parts))

    def figures(self, by: Weights) -> tuple[float, float, float, float]:
        """The shares whose gold passage is among the first 1, 3 and 10, and MRR@10."""
        ranks = self.ranks(by)
        shares = [sum(rank <= k for rank in ranks) / len(ranks) for k in (1, 3, 10)]
        return shares[0], shares[1], shares[2], sum(1 / rank for rank in ranks if rank <= 10) / len(ranks)

    def ranks(self, by: Weights) -> list[int]:
        """The rank of each question's gold passage before the reader; 999: it is not among the candidates."""
        known: dict[str, Scores] = {}
        return [
            min((self._rank(gold, *part, by, known) for part in parts), default=UNRANKED)
            for gold, parts in self._asked
        ]

    def _rank(  # noqa: PLR0913, PLR0917  (a part of a question, and what it is ranked by)
        self,
        gold: frozenset[int],
        concepts: Sequence[Concept],
        cosines: Scores,
        weight: float,
        by: Weights,
        known: dict[str, Scores],
    ) -> int:
        def total(stems: Sequence[str]) -> Scores:
            for stem in stems:
                if stem not in known:
                    known[stem] = self._statistics.scores(stem, by)
            added: Scores = np.sum([known[stem] for stem in stems], axis=0)
            return added

        words = np.zeros(len(cosines))
        for one in concepts:
            others = [by["synonyms"] * total(stems) for stems in one.others.values()]
            words += np.maximum.reduce([total(one.stems), *others])
        fused = (1 - by["alpha"]) * cosines + by["alpha"] * words / (max(weight, words.max()) or 1)
        brought = np.union1d(np.argsort(-cosines)[:DEPTH], np.argsort(-words)[:DEPTH])
        order = brought[np.argsort(-fused[brought], kind="stable")]
        return next((rank for rank, i in enumerate(order, 1) if int(i) in gold), UNRANKED)


def answerable(name: str, most: int | None) -> list[Asked]:
    """The set's answerable questions; so many of them, spread over it."""
    asked = [one for one in questions_of(name, "work") if one.answerable]
    return asked[:: max(1, len(asked) // most)] if most else asked


def searched(asker: Asker, asked: Asked) -> list[str]:
    """What the pipeline searches for it, a text for each question in the line."""
    question = Question(asked.text, "c", "m", "t", strategy="hybrid", history=asked.history)
    final = next(event for event in asker.ask(question) if isinstance(event, Final))
    return [step.notes["question"] for step in final.trace.steps if step.step == "rewrite"]


def fitted(sets: Sequence[QuestionSet], start: Weights) -> dict[str, float]:
    """Coordinate ascent; each gain is printed."""
    best, value = dict(start), goodness(sets, start)
    while True:
        before = value
        for name in start:
            steps = [step for step in STEPS if step <= 1 or not name.startswith(SHARES)]
            tried = {step: goodness(sets, {**best, name: step}) for step in steps if step or name != "k1"}
            step = max(tried, key=tried.__getitem__)
            if tried[step] > value + LEAST_GAIN:
                best[name], value = step, tried[step]
                print(f"{name} = {step}: {value:.4f}", flush=True)
        if value == before:
            return best


def goodness(sets: Sequence[QuestionSet], by: Weights) -> float:
    """What is fitted: the mean of MRR@10 and of the mean share, over the sets."""
    values = [(sum(shares) / 3 + mrr) / 2 for *shares, mrr in (one.figures(by) for one in sets)]
    return sum(values) / len(values)


def ablations(by: Weights) -> dict[str, Weights]:
    """The weights with each thing left out."""
    found: dict[str, Weights] = {"as it ships": by}
    for name in OF_PAGES:
        found[f"without {name}"] = {**by, f"w.{name}": 0.0}
    even: dict[str, Any] = {f"w.{name}": 1.0 for name in OF_CHUNKS}
    found["title and headings as text"] = {**by, **even, **{f"b.{name}": by["b.text"] for name in OF_CHUNKS}}
    found["text's b = .75, k1 = 1.2"] = {**by, "b.text": 0.75, "k1": 1.2}
    found["without synonyms"] = {**by, "synonyms": 0.0}
    return found | {f"α = {alpha}": {**by, "alpha": alpha} for alpha in (0.2, 0.3, 0.4, 0.5)}


def main() -> None:
    """Read the arguments, load the sets, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", nargs="+", metavar="SET=HOME")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--most", type=int)
    given = parser.parse_args()
    named = dict(one.split("=", 1) for one in given.sets)
    sets = {name: QuestionSet(answerable(name, given.most), Path(home)) for name, home in named.items()}
    by = shipped(Settings.read(os.environ))
    if given.fit:
        print(fitted(list(sets.values()), by))
        return
    print("| weights | " + " | ".join(sets) + " |\n|---|" + "---|" * len(sets))
    for label, weights in ablations(by).items():
        cells = ["/".join(f"{figure:.3f}" for figure in one.figures(weights)) for one in sets.values()]
        print(f"| {label} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
