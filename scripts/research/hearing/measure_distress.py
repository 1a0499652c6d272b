"""Measure which lines get the help lines: recall and false alarms, with 95 % intervals (Wilson).

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.hearing.measure_distress [--aside] [--show]

The half "work" of `corpus/crisis_lines.jsonl` by the words of the lexicon alone, and by words and model
together; for the latter the model is fitted six times, without the lines of one writer's hand each, who
is then heard. The examples beside them were written by somebody who had read that half; the further hands
of `corpus/distress_lines.jsonl` were not read, and are heard in the same way. Visitors' stories are heard by
five models, each without those over a fifth of the sites. Everyday questions are asked of the model as it is
shipped. `--aside`: the other half, by the model as shipped, totals alone; for
a final measurement.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from corpus.visitors.sets import CrisisLine, Half, read_crisis_lines, read_page_questions
from scripts.data_files import read_rows
from scripts.research.hearing.fit_distress import (
    LINES,
    Labelled,
    Stories,
    as_heard,
    fit,
    read_examples,
    read_stories,
    read_work,
)
from server.ask.triage import DistressModel, detect_crisis
from server.inference.encoders import Embedder
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder

Z = 1.96
STORY_FOLDS = 5


def wilson(found: int, of: int) -> str:
    """A share with its 95 % interval (Wilson 1927)."""
    share = found / of
    middle = (share + Z * Z / (2 * of)) / (1 + Z * Z / of)
    half = Z / (1 + Z * Z / of) * float(np.sqrt(share * (1 - share) / of + Z * Z / (4 * of * of)))
    return f"{found}/{of} = {share:.4f} [{max(0.0, middle - half):.4f}, {middle + half:.4f}]"


def heard_lines(half: Half) -> list[CrisisLine]:
    """The lines of a half as triage gets them."""
    return [replace(line, text=as_heard(line.text)) for line in read_crisis_lines(half)]


def print_heard(name: str, is_crisis: Sequence[bool], heard: Sequence[bool]) -> None:
    """Recall and false alarms of some lines."""
    of_crisis = [was for crisis, was in zip(is_crisis, heard, strict=True) if crisis]
    of_others = [was for crisis, was in zip(is_crisis, heard, strict=True) if not crisis]
    print(f"{name}: recall {wilson(sum(of_crisis), len(of_crisis))}", end="")
    print(f", false alarms {wilson(sum(of_others), len(of_others))}", flush=True)


def is_heard(text: str, vector: np.ndarray, model: DistressModel) -> bool:
    """Whether the help lines are shown."""
    return detect_crisis(text, weak=False) is not None or model.detect_crisis(text, vector) is not None


def measure_work(known: Labelled, work: Labelled, embedder_sha256: str, show: bool) -> None:
    """Words alone; and words and model, each hand by the model of the other five."""
    lines = heard_lines("work")
    is_crisis = [line.crisis for line in lines]
    print_heard("work, words alone", is_crisis, [detect_crisis(line.text) is not None for line in lines])
    scores = np.zeros(len(lines))
    for hand in sorted({line.hand for line in lines}):
        model = fit(known.and_also(work.where([line.hand != hand for line in lines])), embedder_sha256)
        for i, line in enumerate(lines):
            if line.hand == hand:
                scores[i] = model.score(line.text, work.vectors[i])
    by_words = [detect_crisis(line.text, weak=False) is not None for line in lines]
    for shift in (-1.0, -0.5, 0.0, 0.5, 1.0):
        heard = [w or bool(s >= shift) for w, s in zip(by_words, scores, strict=True)]
        print_heard(f"work, words and model, threshold {shift:+.1f}", is_crisis, heard)
    if show:
        for i in np.argsort(scores):
            if lines[i].crisis != (by_words[i] or scores[i] >= 0):
                print(f"  {scores[i]:+.2f} {lines[i].crisis} {lines[i].hand} {lines[i].text}")


def measure_stories(known: Labelled, stories: Stories, embedder_sha256: str, show: bool) -> None:
    """Stories, by models that have learnt from none over the same sites; of what is not sure nothing."""
    sites = sorted(set(stories.sites))
    is_crisis: list[bool] = []
    heard: list[bool] = []
    for fold in range(STORY_FOLDS):
        apart = sites[fold::STORY_FOLDS]
        own, others = stories.over(apart), stories.over(set(sites).difference(apart))
        model = fit(known.and_also(others), embedder_sha256)
        was = [is_heard(text, vector, model) for text, vector in zip(own.texts, own.vectors, strict=True)]
        is_crisis += own.is_distress
        heard += was
        for text, crisis, by_it in zip(own.texts, own.is_distress, was, strict=True) if show else ():
            if crisis != by_it:
                print(f"  {crisis} {text}")
    print_heard("stories", is_crisis, heard)


def measure_further_hands(embedder: Embedder, beside: Labelled) -> None:
    """Each of the further hands, by a model fitted without its lines; nobody wrote words for these."""
    rows = read_rows(LINES)
    for hand in sorted({row["hand"] for row in rows}):
        model = fit(read_examples(embedder, hand).and_also(beside), embedder.sha256)
        own = [row for row in rows if row["hand"] == hand]
        texts = [as_heard(row["text"]) for row in own]
        vectors = embedder.embed_questions(texts)
        heard = [is_heard(text, vector, model) for text, vector in zip(texts, vectors, strict=True)]
        print_heard(f"hand {hand}", [row["crisis"] for row in own], heard)


def everyday_sets(data: Path) -> dict[str, list[str]]:
    """Questions that are none of distress, but for a few of the visitors' own."""
    sets = {"golden": _questions(PROJECT / "corpus/golden_questions.jsonl")}
    for name in ("quennell", "tamsettferry", "handbook"):
        sets[name] = [as_heard(row.question) for row in read_page_questions(name)]
    for name in ("off-topic", "squad"):
        sets[name] = _questions(data / name / "questions.jsonl.gz")
    return sets


def _questions(path: Path) -> list[str]:
    return [as_heard(row["question"]) for row in read_rows(path)]


def main() -> None:
    """Print a row a set."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--aside", action="store_true", help="the half kept aside, once at the end")
    options.add_argument("--show", action="store_true", help="what was heard wrong, never of aside")
    chosen = options.parse_args()
    settings = Settings.read(os.environ)
    embedder = build_embedder(settings)
    model = DistressModel.load(settings.distress_file)
    examples, work, stories = read_examples(embedder), read_work(embedder), read_stories(embedder)
    measure_work(examples.and_also(stories.known), work, embedder.sha256, chosen.show)
    measure_further_hands(embedder, work.and_also(stories.known))
    measure_stories(examples.and_also(work), stories, embedder.sha256, chosen.show)
    data = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
    for name, texts in everyday_sets(data).items():
        vectors = embedder.embed_questions(texts)
        heard = [text for text, vector in zip(texts, vectors, strict=True) if is_heard(text, vector, model)]
        print(f"{name}: false alarms {wilson(len(heard), len(texts))}", flush=True)
        for text in heard if chosen.show else ():
            print(f"  {text}")
    if chosen.aside:
        lines = heard_lines("aside")
        vectors = embedder.embed_questions([line.text for line in lines])
        heard_aside = [is_heard(line.text, v, model) for line, v in zip(lines, vectors, strict=True)]
        print_heard("aside, words and model", [line.crisis for line in lines], heard_aside)


if __name__ == "__main__":
    main()
