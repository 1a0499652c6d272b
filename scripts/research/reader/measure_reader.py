"""What a reader is worth: SQuAD 2.0, cells of tables, verdicts on claims, and the time it takes to rerank.

    .venv-export/bin/python -m scripts.research.reader.measure_reader --data ../shared/data --work var/reader

Only the validation articles' questions are asked, WikiTableQuestions' over tables that nothing was learnt
from, and claims whose texts were kept aside. With `--checkpoint` the time is also taken of
sentence-transformers' CrossEncoder with the same weights, in turns with ours. How well it ranks is for
`lodge eval` to say.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from scripts.logistic import Floats
from scripts.research.reader.claims import read_claims
from scripts.research.reader.mining import holds_quote, searchable
from scripts.research.reader.recipe import CYCLES, SEED
from scripts.research.reader.sources import squad, wiki_tables
from server.ask.context import RerankOptions, RetrieveOptions, parse_strategy
from server.ask.rerank import pair, rerank
from server.ask.retrieve import retrieve
from server.ask.trace import OpenStep, TraceLog
from server.evaluate.questions import answer_scores
from server.evaluate.significance import auroc, share_interval
from server.inference.encoders import Reranker, with_lead
from server.ingest.chunk import ChunkSize, chunk
from server.ingest.extract.extract import extract
from server.models import Block, Candidate, Document, Reading, Section, SourcePage
from server.settings import Settings

QUESTIONS, TABLE_QUESTIONS, CLAIMS = 40, 600, 400


def comprehension(reranker: Reranker, data: Path) -> None:
    """EM and F1 with "no answer" below a margin of 0, and how well margin and relevance tell them apart."""
    source = squad(data, validation=True)
    texts = {page["url"]: page for page in source.pages}
    in_both = {one.gold_url for one in source.asked if not one.answerable}
    asked = [one for one in source.asked if one.gold_url.split("/")[3] in {u.split("/")[3] for u in in_both}]
    rows: list[tuple[float, float, float, float, float]] = []
    for one in tqdm(asked, desc="SQuAD 2.0"):
        passages = _passages(texts[one.gold_url])
        readings = reranker.read(one.question, passages)
        best = max(range(len(readings)), key=lambda i: _margin(readings[i]))
        reading, answers = readings[best], [text for text, _ in one.answers]
        said = passages[best][1][reading.start : reading.end] if _margin(reading) > 0 else ""
        scores = answer_scores(said, answers) if answers else {}
        rows.append(
            (
                scores.get("em", float(not said)),
                scores.get("f1", float(not said)),
                _margin(reading),
                max(r.log_odds for r in readings),
                float(one.answerable),
            )
        )
    em, f1, margin, relevance, answerable = np.array(rows).T
    print(f"SQuAD 2.0, {len(rows)} questions ({answerable.mean():.3f} answerable)")
    for name, which in (("all", answerable >= 0), ("answerable", answerable == 1), ("not", answerable == 0)):
        print(f"  {name}: EM {em[which].mean():.3f}  F1 {f1[which].mean():.3f}")
    margin_auroc, relevance_auroc = (auroc(scores, answerable == 1) for scores in (margin, relevance))
    print(f"  AUROC margin {margin_auroc:.3f}, relevance {relevance_auroc:.3f}")


def _margin(reading: Reading) -> float:
    return -np.inf if reading.margin is None else reading.margin


def _passages(page: dict[str, str]) -> list[tuple[str, str]]:
    document = Document(page["url"], page["title"], (Section((), (Block("paragraph", page["text"]),)),))
    return [(page["title"], piece.text) for piece in chunk(document, ChunkSize(min_words=1))]


def tables(reranker: Reranker, data: Path) -> None:
    """How often the best place of a table's passages is the very cell, and how often in its row.

    Only of WikiTableQuestions' tables that no question learnt from was about.
    """
    source = wiki_tables(data)
    used = [one for cycle in CYCLES for one in cycle.ingredients if one.read is wiki_tables]
    drawn = [random.Random(one.draw).sample(list(source.asked), one.asked or 0) for one in used]
    learnt = {asked.gold_url for sample in drawn for asked in sample}
    pages = {page["url"]: page["html"] for page in source.pages}
    fresh = [one for one in source.asked if one.gold_url not in learnt]
    rows = []
    for one in tqdm(random.Random(SEED).sample(fresh, TABLE_QUESTIONS), desc="tables"):
        document = extract(SourcePage(one.gold_url, pages[one.gold_url].encode()))
        passages = [("", piece.text) for piece in chunk(document, ChunkSize(min_words=1))]
        readings = reranker.read(one.question, passages)
        best = max(range(len(readings)), key=lambda i: _margin(readings[i]))
        text, reading = passages[best][1], readings[best]
        [(cell, _)] = one.answers
        line = text[text.rfind("\n", 0, reading.start) + 1 :].split("\n")[0]
        exact = answer_scores(text[reading.start : reading.end], [cell])["em"]
        rows.append((exact, float(holds_quote(line, one.quote))))
    exact, in_row = np.array(rows).T
    print(f"WikiTableQuestions, {len(rows)} of unseen tables: cell {_share(exact)}, its row {_share(in_row)}")


def verdicts(reranker: Reranker, data: Path) -> None:
    """What the reader makes of claims and yes/no questions whose texts were kept aside, by set."""
    if not reranker.card.verdicts:
        return
    aside = [one for one in read_claims(data, SEED) if one.kept_aside]
    for name in sorted({one.source for one in aside}):
        members = [one for one in aside if one.source == name][:CLAIMS]
        found = [reranker.read(one.claim, [("", one.text)])[0].verdict for one in tqdm(members, desc=name)]
        told = np.array([(v.supported, v.contradicted, v.not_said) for v in found if v])
        right = np.array([int(one.verdict) for one in members])
        area = auroc(told[:, 0], right == 0)
        correct = (told.argmax(1) == right).astype(float)
        print(f"  {name}: {len(members)} claims, three ways {_share(correct)}, supported AUROC {area:.3f}")


def _share(values: Floats) -> str:
    interval = share_interval(int(values.sum()), len(values))
    return f"{values.mean():.3f} [{interval.low:.3f}, {interval.high:.3f}]"


def latency(
    reranker: Reranker, asked: Mapping[str, Sequence[Candidate]], checkpoint: Path | None, weights: str
) -> None:
    """Milliseconds to rerank 10, 20 and 50 passages: all of them, with the early stop, and by the other."""
    ways: dict[str, Callable[[str, Sequence[Candidate]], object]] = {
        "all read": lambda question, found: rerank(
            question, found, reranker, RerankOptions(len(found), len(found), 0.0), OpenStep()
        ),
        "early stop": lambda question, found: rerank(
            question, found, reranker, RerankOptions(len(found)), OpenStep()
        ),
    }
    if checkpoint:
        other = _cross_encoder(checkpoint, weights, reranker)
        ways["sentence-transformers"] = lambda question, found: other.predict(
            [(question, with_lead(*pair(c.passage))[0]) for c in found], show_progress_bar=False
        )
    for count in (10, 20, 50):
        times: dict[str, list[float]] = {name: [] for name in ways}
        for question, found in asked.items():
            for name, way in ways.items():
                start = time.perf_counter()
                way(question, found[:count])
                times[name].append((time.perf_counter() - start) * 1000)
        print(count, {name: f"p50 {statistics.median(values):.0f} ms" for name, values in times.items()})


def candidates(data: Path, settings: Settings) -> dict[str, Sequence[Candidate]]:
    """What hybrid retrieval brings for some of the validation articles' questions, 50 passages each."""
    found: dict[str, Sequence[Candidate]] = {}
    source = squad(data, validation=True)
    with searchable(source, settings) as (index, embedder):
        for one in random.Random(1).sample(list(source.asked), QUESTIONS):
            vector = embedder.embed_question(one.question)
            strategy, options = parse_strategy("hybrid"), RetrieveOptions(100)
            found[one.question] = retrieve(one.question, vector, strategy, options, index, TraceLog())[:50]
    return found


def _cross_encoder(checkpoint: Path, weights: str, reranker: Reranker) -> Any:
    """The same exit as sentence-transformers runs it, in fp32 on PyTorch."""
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import AutoConfig, AutoTokenizer, BertForSequenceClassification

    state = torch.load(checkpoint, map_location="cpu", weights_only=True)["reader"]
    exits = CYCLES[-1].exits
    layers = next((count for count in exits if f"l{count}" in reranker.name), exits[-1])
    head = exits.index(layers)
    config = AutoConfig.from_pretrained(weights, num_hidden_layers=layers, num_labels=1)
    model = BertForSequenceClassification(config)
    own = {f"bert.{k.removeprefix('encoder.')}": v for k, v in state.items() if k.startswith("encoder.")}
    own |= {f"bert.pooler.dense.{part}": state[f"heads.{head}.dense.{part}"] for part in ("weight", "bias")}
    own |= {f"classifier.{part}": state[f"heads.{head}.relevance.{part}"] for part in ("weight", "bias")}
    model.load_state_dict({k: v for k, v in own.items() if k in model.state_dict()}, strict=True)
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(weights).save_pretrained(folder)
        return CrossEncoder(folder, max_length=reranker.card.max_tokens, device="cpu")


def main() -> None:
    """Both measurements for one model folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True, help="the folder train_reader.py worked in")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--weights", default="", help="folder the training began with, for --checkpoint")
    args = parser.parse_args()
    settings = Settings.read(os.environ)
    reranker = Reranker(settings.models_dir / settings.reranker, settings.inference_threads)
    print(reranker.name)
    comprehension(reranker, args.data)
    tables(reranker, args.data)
    verdicts(reranker, args.data)
    asked = candidates(args.data, replace(settings, home=args.work.resolve()))
    latency(reranker, asked, args.checkpoint, args.weights)


if __name__ == "__main__":
    main()
