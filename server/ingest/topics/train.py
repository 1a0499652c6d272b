"""Makes a new snapshot's classifiers, of its own pages, and writes them into its folder."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from server.errors import BadInputError
from server.ingest.topics.classifier import Examples, learn_gate, train
from server.ingest.topics.examples import Excerpt, a_sentence, draw, evenly, made_questions
from server.ingest.topics.labels import Label, LabelRules, PrefixTopic
from server.ingest.topics.usual import learn_usual
from server.models import Chunk
from server.models.usual import UsualQuestion

Vectors = npt.NDArray[np.float32]
CLASSIFIERS_FILE = "classifiers.json"  # read by server/inference/encoders.py

MOST_QUESTIONS = 3000
MOST_EXAMPLES = 4000  # of a classifier: 6 MB, and well under a millisecond a question
FEW_QUESTIONS = 300  # with fewer, as of pages without headings, sentences stand in


@dataclass(frozen=True, slots=True)
class Learning:
    """What the classifiers of a snapshot are made with, beside its pages.

    `general_questions` are no university's business, `usual_questions` are any one's, whatever its pages
    say of them: "where are you located" is near no address.
    """

    embed_questions: Callable[[Sequence[str]], Vectors]
    table: tuple[PrefixTopic, ...] = ()
    general_questions: tuple[str, ...] = ()
    usual_questions: tuple[UsualQuestion, ...] = ()
    rules: LabelRules = field(default_factory=LabelRules)


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions made of chunks: texts, the chunk of each, and vectors of shape (n, dims)."""

    texts: tuple[str, ...]
    chunks: tuple[Chunk, ...]
    vectors: Vectors

    @property
    def pages(self) -> tuple[str, ...]:
        """The URL that each is answered at."""
        return tuple(chunk.url for chunk in self.chunks)


def load_questions(path: Path) -> tuple[str, ...]:
    """The questions of a file, one a line; `BadInputError` when it cannot be read or holds none."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise BadInputError(f"The questions {path} cannot be read.") from None
    questions = tuple(line.strip() for line in lines if line.strip())
    if not questions:
        raise BadInputError(f"The questions {path} are none.")
    return questions


def learn(
    folder: Path, excerpts: Sequence[Excerpt], labels: Mapping[str, Label], learning: Learning
) -> dict[str, Any]:
    """The classifiers of the snapshot in `folder`, as files there; their figures, by level.

    A level with nothing to tell apart has no classifier, and no figures: fewer than two topics, no topic
    with sub-topics, no general questions.
    """
    asked = ask_pages(excerpts, learning.embed_questions)
    by_topic = {url: (label.topic,) for url, label in labels.items() if label.topic}
    by_subtopic = {
        url: (label.topic, label.subtopic) for url, label in labels.items() if label.topic and label.subtopic
    }
    entries: dict[str, dict[str, Any] | None] = {
        "topics": _write(folder, "topics.onnx", examples_of(excerpts, asked, by_topic)),
        "subtopics": _write(folder, "subtopics.onnx", examples_of(excerpts, asked, by_subtopic)),
        "scope": None,
        "usual": None,
    }
    if learning.general_questions:
        general = learning.embed_questions(learning.general_questions)
        entries["scope"] = _learn_scope(folder, excerpts, asked, general)
        entries["usual"] = learn_usual(folder, learning.usual_questions, general, learning.embed_questions)
    text = json.dumps(entries, indent=1, ensure_ascii=False) + "\n"
    (folder / CLASSIFIERS_FILE).write_text(text, encoding="utf-8")
    return {name: entry["figures"] for name, entry in entries.items() if entry}


def ask_pages(excerpts: Sequence[Excerpt], embed: Callable[[Sequence[str]], Vectors]) -> Asked:
    """Questions made of titles, headings and, where these are few, sentences; the same for the same pages."""
    made: dict[str, Chunk] = {}
    _collect(made, excerpts, made_questions)
    if len(made) < FEW_QUESTIONS:
        _collect(made, excerpts, a_sentence, FEW_QUESTIONS)
    by_page: dict[str, list[str]] = defaultdict(list)
    for text, chunk in made.items():
        by_page[chunk.url].append(text)
    kept = evenly(by_page, MOST_QUESTIONS, draw).values()
    texts = sorted((text for of_page in kept for text in of_page), key=draw)
    return Asked(tuple(texts), tuple(made[text] for text in texts), embed(texts))


def _collect(
    made: dict[str, Chunk],
    excerpts: Sequence[Excerpt],
    make: Callable[[Chunk], list[str]],
    most: int | None = None,
) -> None:
    """Put texts made of chunks into `made`, each with the first chunk it was made of."""
    for excerpt in excerpts:
        for text in make(excerpt.chunk):
            if most is None or len(made) < most:
                made.setdefault(text, excerpt.chunk)


def examples_of(
    excerpts: Sequence[Excerpt],
    asked: Asked,
    labels: Mapping[str, tuple[str, ...]],
    most: int = MOST_EXAMPLES,
) -> Examples | None:
    """The chunks and then the questions of labelled pages, at most `most`, evenly of every label.

    None where there are fewer than two labels.
    """
    chunks = [*(excerpt.chunk for excerpt in excerpts), *asked.chunks]
    vectors = [*(excerpt.vector for excerpt in excerpts), *asked.vectors]
    by_label: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for i, chunk in enumerate(chunks):
        if chunk.url in labels:
            by_label[labels[chunk.url]].append(i)
    if len(by_label) < 2:
        return None
    kept = evenly(by_label, most, lambda i: draw(f"{chunks[i].url}#{i}"))
    at = sorted(i for members in kept.values() for i in members)
    found = tuple(labels[chunks[i].url] for i in at)
    sections = tuple(f"{chunks[i].url}#{chunks[i].heading}" for i in at)
    return Examples(np.stack([vectors[i] for i in at]), found, sections)


def _learn_scope(
    folder: Path, excerpts: Sequence[Excerpt], asked: Asked, general: Vectors
) -> dict[str, Any] | None:
    """Write the gate, of the site against the `general` questions; None without questions of the site."""
    if not asked.texts:
        return None
    near = excerpts[: MOST_EXAMPLES // 2]
    site = np.stack([excerpt.vector for excerpt in near])
    own = _of_own_page(asked.pages, near)
    odds, figures = learn_gate(folder / "scope.onnx", asked.vectors, site, general, own)
    figures["refused"] = round(float(np.mean(odds < 0)), 4)
    return {"file": "scope.onnx", "labels": [["out"], ["in"]], "figures": figures}


def _of_own_page(pages: Sequence[str], near: Sequence[Excerpt]) -> npt.NDArray[np.bool_] | None:
    """Which chunks are of the page a question was made of: visitors do not ask in a page's own words."""
    urls = np.array([excerpt.chunk.url for excerpt in near])
    if len(set(urls)) < 2:
        return None  # a site of one page has no other to compare with
    own: npt.NDArray[np.bool_] = np.array(pages)[:, None] == urls[None, :]
    return own


def _write(folder: Path, name: str, examples: Examples | None) -> dict[str, Any] | None:
    """Train a classifier and write its file; what the list of classifiers says of it."""
    if examples is None:
        return None
    trained = train(examples)
    (folder / name).write_bytes(trained.onnx)
    return {
        "file": name,
        "labels": [list(label) for label in trained.labels],
        "figures": trained.figures.as_json(),
    }
