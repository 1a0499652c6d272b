"""Compare topic classifiers on the same split.

    LODGE_DATA=../shared/data .venv/bin/python -m scripts.research.retrieval.compare_classifiers [demo]
        [webkb]

Bag of words with an MLP of 256, as BrockportGPT published it; logistic regression and the same MLP on our
question embeddings; and their nearest neighbours, which a snapshot is given. On the demo university they
learn from all its pages and are asked its golden questions; on WebKB (Craven et al. 1998) they learn four
pages of five and are asked the titles, headings and sentences of the fifth. Its class "other" is left out:
it is what has none of the classes.
"""

from __future__ import annotations

import json
import os
import sys
import tarfile
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from corpus.demo_site.site import DEFAULT_ORIGIN, Site
from scripts.data_files import read_rows
from server.ask.context import SoftFilter
from server.inference.encoders import Embedder
from server.ingest.chunk import ChunkSize, chunk
from server.ingest.extract.extract import extract
from server.ingest.filter import PageFilter, load_rules
from server.ingest.topics.classifier import Examples, best_temperature, hold_out, measure, nearnesses, softmax
from server.ingest.topics.examples import ChunkSample, Excerpt, a_sentence
from server.ingest.topics.labels import Label, label_pages, load_topics
from server.ingest.topics.train import Asked, ask_pages, examples_of
from server.models import Drop, SourcePage
from server.settings import PROJECT, Settings
from server.wiring.flow import build_embedder

Vectors = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]
Scorer = Callable[[Sequence[str], Vectors], Scores]

SEED = 20261122
WEBKB_CLASSES = ("course", "faculty", "project", "staff", "student")
WEBKB_CHUNKS = 2  # of each page, for time's sake


# --- what is learnt and asked ------------------------------------------------------------------


@dataclass(frozen=True)
class Texts:
    """Examples with their texts, which a bag of words needs, and which of them are questions."""

    texts: tuple[str, ...]
    are_questions: npt.NDArray[np.bool_]
    examples: Examples

    def some(self, chosen: npt.NDArray[np.bool_]) -> Texts:
        """The examples that are chosen."""
        texts = tuple(text for text, is_in in zip(self.texts, chosen, strict=True) if is_in)
        return Texts(texts, self.are_questions[chosen], self.examples.some(chosen))


@dataclass(frozen=True)
class Exam:
    """What to learn and what to ask; a question's `gold` are the labels of its right pages, the first first.

    None among them: a page without a topic, which no filter removes.
    """

    name: str
    learnt: Texts
    questions: tuple[str, ...]
    vectors: Vectors
    gold: tuple[tuple[str | None, ...], ...]


def demo_pages() -> Iterator[SourcePage]:
    """The demo university's pages, as its server would send them."""
    site = Site()
    for path in site.pages:
        yield SourcePage(DEFAULT_ORIGIN + path, site.render(path), fetched_at="2026-05-01T10:00:00+00:00")


def webkb_pages(archive: Path) -> Iterator[tuple[str, SourcePage]]:
    """The classified pages of the WebKB archive, each with its class."""
    with tarfile.open(archive) as tar:
        files = {member.name: file.read() for member in tar if (file := tar.extractfile(member))}
    for row in map(json.loads, files["manifest.jsonl"].splitlines()):
        if row["page_class"] in WEBKB_CLASSES:
            yield row["page_class"], SourcePage(row["url"], files[row["file"]].partition(b"\n\n")[2])


def excerpts_of(pages: Iterable[SourcePage], embedder: Embedder, most: int | None = None) -> list[Excerpt]:
    """A sample of the pages' chunks, filtered and embedded as `lodge index` does; `most` of each page."""
    settings = Settings()
    page_filter = PageFilter(load_rules(settings.filters_file), settings.min_page_chars, 0.9)
    sample = ChunkSample()
    for page in pages:
        document = page_filter.before_extract(page) or extract(page)
        if isinstance(document, Drop) or page_filter.after_extract(document):
            continue
        chunks = chunk(document, ChunkSize())[:most]
        if chunks:
            sample.add(chunks, embedder.embed_passages([piece.indexed_text for piece in chunks]))
    return sample.excerpts()


def labelled(
    excerpts: Sequence[Excerpt], labels: Mapping[str, Label], embedder: Embedder, sentences: bool = False
) -> Texts:
    """The examples of pages that have a topic: chunks, made questions, and a sentence a chunk if wanted."""
    asked = ask_pages(excerpts, embedder.embed_questions)
    if sentences:
        found = [(text, e.chunk) for e in excerpts for text in a_sentence(e.chunk)]
        texts, chunks = zip(*found, strict=True)
        vectors = np.concatenate([asked.vectors, embedder.embed_questions(texts)])
        asked = Asked(asked.texts + texts, asked.chunks + chunks, vectors)
    topics = {url: (label.topic,) for url, label in labels.items() if label.topic}
    examples = examples_of(excerpts, asked, topics, most=sys.maxsize)
    if examples is None:
        raise SystemExit("There is nothing to tell apart.")
    every = [(e.chunk.indexed_text, e.chunk.url, False) for e in excerpts]
    every += [(text, url, True) for text, url in zip(asked.texts, asked.pages, strict=True)]
    rows = [(text, is_question) for text, url, is_question in every if url in topics]
    return Texts(
        tuple(text for text, _ in rows), np.array([is_question for _, is_question in rows]), examples
    )


def demo_exam(embedder: Embedder) -> Exam:
    """The golden questions, learnt from the demo university's pages."""
    excerpts = excerpts_of(demo_pages(), embedder)
    urls = [excerpt.chunk.url for excerpt in excerpts]
    labels = label_pages({url: urls.count(url) for url in urls}, load_topics(PROJECT / "corpus/topics.toml"))
    golden = [q for q in read_rows(PROJECT / "corpus/golden_questions.jsonl") if q["gold_urls"]]
    texts = tuple(q["question"] for q in golden)
    gold = tuple(tuple(labels.get(url, Label()).topic for url in q["gold_urls"]) for q in golden)
    return Exam("demo", labelled(excerpts, labels, embedder), texts, embedder.embed_questions(texts), gold)


def webkb_exam(embedder: Embedder, data: Path) -> Exam:
    """Titles, headings and sentences of every fifth page, learnt from the others."""
    classes = {page.url: (name, page) for name, page in webkb_pages(data / "webkb/cornell-texas.tar.gz")}
    excerpts = excerpts_of((page for _, page in classes.values()), embedder, WEBKB_CHUNKS)
    labels = {url: Label(name) for url, (name, _) in classes.items()}
    everything = labelled(excerpts, labels, embedder, sentences=True)
    pages = tuple(section.partition("#")[0] for section in everything.examples.sections)
    unseen = hold_out(replace(everything.examples, sections=pages))
    asked = everything.some(unseen & everything.are_questions)
    gold = tuple(asked.examples.labels)
    return Exam("webkb", everything.some(~unseen), asked.texts, asked.examples.vectors, gold)


# --- the classifiers -----------------------------------------------------------------------------


def bag_of_words_mlp(learnt: Texts, gold: npt.NDArray[np.int64]) -> Scorer:
    """As published: word counts, one hidden layer of 256."""
    from sklearn.feature_extraction.text import CountVectorizer

    bag = CountVectorizer()
    model = fit_mlp(bag.fit_transform(learnt.texts), gold)
    return lambda texts, _: np.log(model.predict_proba(bag.transform(texts)) + 1e-9)


def embedding_mlp(learnt: Texts, gold: npt.NDArray[np.int64]) -> Scorer:
    """The same MLP on the question's embedding."""
    model = fit_mlp(learnt.examples.vectors, gold)
    return lambda _, vectors: np.log(model.predict_proba(vectors) + 1e-9)


def fit_mlp(features: Any, gold: npt.NDArray[np.int64]) -> Any:
    """An MLP of 256 that stops when a tenth of the examples, held out, are no longer done better."""
    from sklearn.neural_network import MLPClassifier

    model = MLPClassifier((256,), early_stopping=True, max_iter=60, random_state=SEED)
    return model.fit(features, gold, sample_weight=oversampling(gold))


def embedding_regression(learnt: Texts, gold: npt.NDArray[np.int64]) -> Scorer:
    """Logistic regression on the question's embedding."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(max_iter=300)
    model.fit(learnt.examples.vectors, gold, oversampling(gold))
    return lambda _, vectors: model.predict_log_proba(vectors)


def neighbours(learnt: Texts, gold: npt.NDArray[np.int64]) -> Scorer:
    """The nearness to each topic's examples: what a snapshot has."""
    groups = [learnt.examples.vectors[gold == topic] for topic in range(gold.max() + 1)]
    return lambda _, vectors: nearnesses(vectors, groups)


def oversampling(gold: npt.NDArray[np.int64], most: float = 3.0) -> Scores:
    """A weight an example, so that every topic counts as the largest does, or `most` times the mean.

    A weight of 4 is the example standing there four times.
    """
    counts = np.bincount(gold)
    target = min(counts.max(), most * counts.mean())
    weights: Scores = np.maximum(target / counts[gold], 1.0)
    return weights


CLASSIFIERS: dict[str, Callable[[Texts, npt.NDArray[np.int64]], Scorer]] = {
    "bag of words, MLP(256)": bag_of_words_mlp,
    "embedding, MLP(256)": embedding_mlp,
    "embedding, logistic regression": embedding_regression,
    "embedding, nearest neighbours": neighbours,
}


# --- the comparison ------------------------------------------------------------------------------


def compare(exam: Exam) -> None:
    """Print a row of figures a classifier."""
    topics = sorted({label for (label,) in exam.learnt.examples.labels})
    print(
        f"\n{exam.name}: {len(exam.learnt.texts)} examples of {len(topics)} topics, "
        f"{len(exam.questions)} questions"
    )
    print("| classifier | accuracy | macro F1 | ECE | unfiltered | removes gold page | topics left | µs |")
    print("|---|---|---|---|---|---|---|---|")
    for name, make in CLASSIFIERS.items():
        probabilities, microseconds = examined(make, exam, topics)
        print(f"| {name} | {' | '.join(figures_of(probabilities, exam, topics))} | {microseconds:.0f} |")


def examined(
    make: Callable[[Texts, npt.NDArray[np.int64]], Scorer], exam: Exam, topics: list[str]
) -> tuple[Scores, float]:
    """Calibrated probabilities of the exam's questions, and the time of one in microseconds.

    The temperature is found on every fifth section of what is learnt, and then everything is learnt.
    """
    learnt = exam.learnt
    gold = np.array([topics.index(label) for (label,) in learnt.examples.labels])
    unseen = hold_out(learnt.examples)
    part, held_out = learnt.some(~unseen), learnt.some(unseen)
    scores = make(part, gold[~unseen])(held_out.texts, held_out.examples.vectors)
    temperature = best_temperature(scores, gold[unseen])
    scorer = make(learnt, gold)
    start = time.perf_counter()
    for i in range(100):
        at = slice(i % len(exam.questions), i % len(exam.questions) + 1)
        scorer(exam.questions[at], exam.vectors[at])
    microseconds = (time.perf_counter() - start) * 1e4
    return softmax(scorer(exam.questions, exam.vectors) / temperature), microseconds


def figures_of(probabilities: Scores, exam: Exam, topics: list[str]) -> list[str]:
    """The cells of a row. Where a question has several right topics, any of them is right."""
    best = probabilities.argmax(axis=1)
    known = [i for i, gold in enumerate(exam.gold) if any(gold)]
    right = np.array(
        [
            best[i] if topics[best[i]] in exam.gold[i] else topics.index(next(filter(None, exam.gold[i])))
            for i in known
        ]
    )
    figures = measure(probabilities[known], right)
    filtered = [soft_filtered(row, topics) for row in probabilities]
    removed = [
        bool(left) and not any(label is None or label in left for label in gold)
        for left, gold in zip(filtered, exam.gold, strict=True)
    ]
    left = [len(some) or len(topics) for some in filtered]
    return [
        f"{figures.accuracy:.3f}",
        f"{figures.macro_f1:.3f}",
        f"{figures.calibration_error:.3f}",
        f"{np.mean([not some for some in filtered]):.3f}",
        f"{np.mean(removed):.3f}",
        f"{np.mean(left):.1f} of {len(topics)}",
    ]


def soft_filtered(row: Scores, topics: list[str]) -> tuple[str, ...]:
    """The topics that the soft filter leaves; none: all."""
    return SoftFilter().allowed(dict(zip(topics, map(float, row), strict=True)))


def main() -> None:
    """Print a table an exam."""
    data = Path(os.environ.get("LODGE_DATA", PROJECT.parent / "shared" / "data"))
    embedder = build_embedder(Settings())
    warnings.simplefilter("ignore")  # scikit-learn on what has not converged yet
    exams = {"demo": lambda: demo_exam(embedder), "webkb": lambda: webkb_exam(embedder, data)}
    for name in sys.argv[1:] or exams:
        compare(exams[name]())


if __name__ == "__main__":
    main()
