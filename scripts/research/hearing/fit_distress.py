"""Fit the model that distress is heard by (server/ask/triage.py), and write it.

    OMP_NUM_THREADS=1 .venv/bin/python -m scripts.research.hearing.fit_distress [--out
    corpus/distress_model.json]

A logistic regression over a text's vector and its words, fitted to `corpus/distress_examples.toml`,
`corpus/distress_lines.jsonl` (lines by three further hands), the half "work" of `corpus/crisis_lines.jsonl`
and everyday questions: `corpus/general_questions.txt`, `corpus/usual_questions.toml`, visitors' over two
sites, and visitors' stories (`read_stories`); then to pairs of an example and an everyday question, put
together by a seeded draw, since people write of both in one line. Another embedder needs another fit.
`measure_distress` tells what it hears.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from corpus.visitors.sets import MEASURED_STORIES, read_crisis_lines, read_page_questions
from scripts.data_files import read_rows
from server.ask.normalize import written_out
from server.ask.ports import Vector
from server.ask.triage import DistressModel, distress_features
from server.inference.encoders import Embedder
from server.ingest.topics.train import load_questions
from server.ingest.topics.usual import load_usual
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder

EXAMPLES = PROJECT / "corpus/distress_examples.toml"
LINES = PROJECT / "corpus/distress_lines.jsonl"
# Which visitors' stories call for the help lines, by two hands: "yes", "perhaps" or "no". What is not there
# was far from it by the model before, and is taken for none.
STORIES = PROJECT / "corpus/distress_stories.jsonl"
UNREAD = frozenset({"velmarsh"})  # of whose stories nobody has said which do
SEED, PAIRS, LEAST = 18, 500, 2  # pairs of each kind; texts that a word must stand in
FAINT = 0.2  # weights that are left out
STRENGTH = 10.0  # the inverse of the regularisation
THRESHOLD = 1.0  # log-odds: off-topic questions get the help lines in fewer than 1 of 100
_NO, _YES = frozenset({"no"}), frozenset({"yes"})
# Visitors' questions that call for the help lines, or that only their page tells apart from those that do.
NOT_EVERYDAY = frozenset(
    (
        *("gov-0168", "gov-0268", "gov-0313", "gov-0315", "gov-0316", "gov-0333", "gov-0334"),
        *("uc-0509", "uc-0511", "cm-0197"),
    )
)


# What somebody in distress may ask, too, of what is usual.
ASKED_IN_DISTRESS = re.compile(
    r"counsel|psic|crisis|assault|safe|emergency|walk me|talk to|to sleep|afford|hungry|food pantry|"
    r"discriminat|stole|sick|funeral|lost his job|perdi mi trabajo|comida gratis",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """Texts, whether each is of somebody in distress, and unit vectors of shape (texts, dims)."""

    texts: tuple[str, ...]
    is_distress: tuple[bool, ...]
    vectors: Vector

    def and_also(self, other: Labelled) -> Labelled:
        """Both, one after the other."""
        vectors = np.vstack([self.vectors, other.vectors])
        return Labelled(self.texts + other.texts, self.is_distress + other.is_distress, vectors)

    def where(self, chosen: Sequence[bool]) -> Labelled:
        """Those that are chosen."""
        at = np.flatnonzero(chosen)
        return Labelled(
            tuple(self.texts[i] for i in at), tuple(self.is_distress[i] for i in at), self.vectors[at]
        )


def as_heard(text: str) -> str:
    """A line as triage gets it: its contractions written out."""
    return written_out(text).text


def labelled(texts: Sequence[str], labels: Sequence[bool], embedder: Embedder) -> Labelled:
    """Texts as they are heard, and their vectors."""
    heard = tuple(map(as_heard, texts))
    return Labelled(heard, tuple(labels), embedder.embed_questions(heard))


def read_examples(embedder: Embedder, without_hand: str = "") -> Labelled:
    """The examples, everyday questions, and pairs of one of each; `without_hand`: not that one's lines."""
    table = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    everyday = load_questions(PROJECT / "corpus/general_questions.txt")
    distressed = [text for name, texts in table.items() if name != "harmless" for text in texts]
    pairs = [(text, True) for text in _paired(distressed, everyday)]
    pairs += [(text, False) for text in _paired(table["harmless"], everyday)]
    rows = [(text, True) for text in distressed]
    rows += [(text, False) for text in (*table["harmless"], *everyday, *_asked_elsewhere())]
    lines = (row for row in read_rows(LINES) if row["hand"] != without_hand)
    rows += [(row["text"], bool(row["crisis"])) for row in lines]
    texts, labels = zip(*rows, *pairs, strict=True)
    return labelled(texts, labels, embedder)


def _asked_elsewhere() -> list[str]:
    """Visitors' questions over sites that nothing is measured on here, and what any university is asked."""
    rows = (row for name in ("government", "uci_cmu") for row in read_page_questions(name))
    usual = load_usual(PROJECT / "corpus/usual_questions.toml")
    said = [
        words for one in usual for words in one.says if not ASKED_IN_DISTRESS.search(f"{words} {one.asks}")
    ]
    return [*(row.question for row in rows if row.id not in NOT_EVERYDAY), *said]


def read_work(embedder: Embedder) -> Labelled:
    """The half of the crisis lines to work with."""
    rows = read_crisis_lines("work")
    return labelled([row.text for row in rows], [row.crisis for row in rows], embedder)


@dataclass(frozen=True, slots=True)
class Stories:
    """Visitors' stories on which both hands agree, and the site of each."""

    known: Labelled
    sites: tuple[str, ...]

    def over(self, sites: Collection[str]) -> Labelled:
        """Those over these sites."""
        return self.known.where([site in sites for site in self.sites])


def read_stories(embedder: Embedder) -> Stories:
    """Questions that come with a story, or as a need: people tell of a roommate who snores, or a lost
    wallet, in the words of somebody in distress. Where the hands say "perhaps", or not the same, it is left
    out."""
    said = {row["id"]: frozenset(row["hands"]) for row in read_rows(STORIES)}
    rows = [
        (row, "yes" in hands)
        for row in read_page_questions("stories")
        if row.source not in UNREAD and (hands := said.get(row.id, _NO)) in (_NO, _YES)
    ]
    known = labelled([row.question for row, _ in rows], [is_distress for _, is_distress in rows], embedder)
    return Stories(known, tuple(row.source for row, _ in rows))


def _paired(texts: Sequence[str], everyday: Sequence[str]) -> list[str]:
    """Texts with an everyday question before or behind, by a draw that is always the same."""
    draw = random.Random(SEED)
    return [_pair(draw, draw.choice(texts), draw.choice(everyday)) for _ in range(PAIRS)]


def _pair(draw: random.Random, text: str, question: str) -> str:
    between = draw.choice((". ", " ", ", ", "... "))
    return draw.choice((f"{text}{between}{question}", f"{question} {text}"))


def fit(known: Labelled, embedder_sha256: str) -> DistressModel:
    """The model of these texts; the same for the same texts."""
    features = [distress_features(text) for text in known.texts]
    counts = Counter(word for of_text in features for word in of_text)
    words = {word: i for i, word in enumerate(sorted(w for w, n in counts.items() if n >= LEAST))}
    cells = [
        (i, words[word], value)
        for i, of_text in enumerate(features)
        for word, value in of_text.items()
        if word in words
    ]
    at, column, value = zip(*cells, strict=True)
    of_words = sparse.csr_matrix((value, (at, column)), shape=(len(features), len(words)))
    both = sparse.hstack([sparse.csr_matrix(known.vectors), of_words]).tocsr()
    fitted = LogisticRegression(C=STRENGTH, max_iter=1000).fit(both, known.is_distress)
    weights, dims = fitted.coef_[0].astype(float), known.vectors.shape[1]
    return DistressModel(
        embedder_sha256,
        float(fitted.intercept_[0]) - THRESHOLD,
        weights[:dims].astype(np.float32),
        {word: float(weights[dims + i]) for word, i in words.items()},
    )


def write(model: DistressModel, path: Path) -> None:
    """The model as JSON, without weights that hardly count."""
    kept = {
        "embedder_sha256": model.embedder_sha256,
        "bias": round(model.bias, 3),
        "vector": [round(float(weight), 3) for weight in model.vector],
        "words": {word: round(weight, 2) for word, weight in model.words.items() if abs(weight) >= FAINT},
    }
    path.write_text(json.dumps(kept, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


def main() -> None:
    """Fit and write."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--out", type=Path, default=PROJECT / "corpus/distress_model.json")
    path = options.parse_args().out
    embedder = build_embedder(Settings.read(os.environ))
    stories = read_stories(embedder)
    told = stories.over(set(stories.sites) - MEASURED_STORIES)
    model = fit(read_examples(embedder).and_also(read_work(embedder)).and_also(told), embedder.sha256)
    write(model, path)
    print(f"{path}: {len(model.vector)} dims, {len(model.words)} words, {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
