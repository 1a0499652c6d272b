"""Encoders: the embedder, the cross-encoder, and a snapshot's classifiers."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Encoding, Tokenizer

from server.errors import LodgeError, ModelError, SnapshotError
from server.inference.session import (
    CrossEncoderCard,
    EmbedderCard,
    Ids,
    Model,
    SmallOnnxModel,
    batches,
    has_gpu,
    padded,
    probabilities,
)
from server.models import ClaimVerdict, Reading
from server.models.usual import NearestUsual

Vectors = npt.NDArray[np.float32]

# A batch costs (texts × longest) tokens, so texts of like length go together and a batch is bounded by that
# product. 2,048 was the fastest of 512 to 8,192 on two cores, and needs a tenth of the memory of the last.
EMBEDDER_BATCH_TOKENS = 2048


# What makes a word's vector of its state, in the model's folder: `projection`, (dims, token dims), and
# `weights`, (dims,), by which a question's words count (scripts/research/retrieval/fit_projection.py).
PROJECTION_FILE = "late_interaction.npz"
# A component of a stored token vector is a whole number, so many times as large.
TOKEN_SCALE = 127

TokenVectors = npt.NDArray[np.int8]


class Embedder(Model[EmbedderCard]):
    """A bi-encoder from a model folder. Thread-safe.

    With a projection in its folder it also gives each word of a text a small vector of its own, for late
    interaction (ColBERT, Khattab & Zaharia 2020), from the same pass. Marks and special tokens have none.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        super().__init__(folder, EmbedderCard, threads)
        self._projection, self._weights, self.projection_sha256 = _read_projection(folder, self.card.dims)
        self._is_mark = np.array([_is_mark(token) for token in _vocabulary(self._tokenizer)])

    def embed_question(self, text: str) -> Vectors:
        """One question as a unit vector of shape (dims,)."""
        vector: Vectors = self._embed([self.card.query_prefix + text])[0]
        return vector

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dims), in the order of `texts`."""
        return self._embed([self.card.query_prefix + text for text in texts])

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (len(texts), dims), in the order of `texts`."""
        return self._embed([self.card.passage_prefix + text for text in texts])

    def encode_question(self, text: str) -> tuple[Vectors, Vectors]:
        """A question's unit vector of shape (dims,), and its words', (tokens, token dims).

        A word's vector is as long as the word counts, and these lengths add up to 1.
        """
        [(vector, words)] = self.word_states([self.card.query_prefix + text])
        if not len(words):
            return vector, np.empty((0, self.token_dims), np.float32)
        shares = np.exp(words @ self._weights)
        return vector, _units(words @ self._projection) * (shares / shares.sum())[:, None]

    def encode_passages(self, texts: Sequence[str]) -> list[tuple[Vectors, TokenVectors]]:
        """For each text its unit vector of shape (dims,), and its words' as they are stored: int8 of shape
        (tokens, token dims), `TOKEN_SCALE` times a unit vector each. (0, 0) where the model has no
        projection."""
        encoded = self.word_states([self.card.passage_prefix + text for text in texts])
        return [
            (vector, np.rint(_units(words @ self._projection) * TOKEN_SCALE).astype(np.int8))
            for vector, words in encoded
        ]

    def word_states(self, texts: Sequence[str]) -> list[tuple[Vectors, Vectors]]:
        """For each text as the model reads it its unit vector, and its words' states, (words, dims), unit
        rows too: what a projection is learnt from."""
        found: dict[int, tuple[Vectors, Vectors]] = {}
        for batch, pooled, hidden, feeds in self._passes(self._encode(texts)):
            for row, i in enumerate(batch):
                ids = feeds["input_ids"][row]
                is_word = (feeds["attention_mask"][row] > 0) & ~self._is_mark[ids]
                found[i] = pooled[row], _units(hidden[row][is_word])
        return [found[i] for i in range(len(texts))]

    @property
    def token_dims(self) -> int:
        """The length of a token's vector; 0: it makes none."""
        return int(self._projection.shape[1])

    def count_tokens(self, texts: Sequence[str]) -> int:
        """How many tokens the model would see, special ones included."""
        return sum(len(encoding.ids) for encoding in self._encode(texts))

    def is_word(self, word: str) -> bool:
        """Whether the lower-case word is common enough to have a token of its own."""
        return self._tokenizer.token_to_id(word) is not None

    @property
    def dims(self) -> int:
        """The length of a vector."""
        return self.card.dims

    def _encode(self, texts: Sequence[str]) -> list[Encoding]:
        return self._tokenizer.encode_batch_fast(list(texts))

    def _embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.empty((len(texts), self.card.dims), dtype=np.float32)
        for batch, pooled, _, _ in self._passes(self._encode(texts)):
            vectors[batch] = pooled
        return vectors

    def _passes(
        self, encodings: Sequence[Encoding]
    ) -> Iterator[tuple[list[int], Vectors, Vectors, Mapping[str, Ids]]]:
        """Positions of texts that went through together, their vectors, all their states, and the inputs."""
        for batch in batches([len(encoding.ids) for encoding in encodings], EMBEDDER_BATCH_TOKENS):
            feeds = padded([encodings[i] for i in batch], self._pad)
            hidden = self._session().run(feeds)[0]
            pooled = pool(hidden, feeds["attention_mask"], self.card.pooling, self.card.normalize)
            yield batch, pooled, hidden, feeds


def _units(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=-1, keepdims=True)
    units: Vectors = rows / np.maximum(lengths, 1e-9)
    return units


def _read_projection(folder: Path, dims: int) -> tuple[Vectors, Vectors, str]:
    """What a model folder makes words' vectors with: the projection, the weights, and the file's SHA-256.

    Where there is none the projection has no columns; `ModelError` where it does not fit the model.
    """
    path = folder / PROJECTION_FILE
    if not path.is_file():
        return np.empty((dims, 0), np.float32), np.zeros(dims, np.float32), ""
    try:
        content = path.read_bytes()
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            projection, weights = (arrays[name].astype(np.float32) for name in ("projection", "weights"))
    except (OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ModelError(f"{PROJECTION_FILE} of {folder.name!r} cannot be read: {error}.") from error
    if projection.ndim != 2 or len(projection) != dims or weights.shape != (dims,):
        raise ModelError(f"{PROJECTION_FILE} of {folder.name!r} takes no vectors of {dims} numbers.")
    return projection, weights, hashlib.sha256(content).hexdigest()


def _vocabulary(tokenizer: Tokenizer) -> list[str]:
    """Every token, by its id."""
    return [tokenizer.id_to_token(i) or "" for i in range(tokenizer.get_vocab_size())]


def _is_mark(token: str) -> bool:
    """Whether a token says nothing by itself: a sign, or a special one such as `[CLS]`."""
    is_special = token.startswith(("[", "<")) and token.endswith(("]", ">")) and len(token) > 2
    return is_special or not any(letter.isalnum() for letter in token)


def pool(hidden: Vectors, mask: Ids, pooling: str, normalize: bool) -> Vectors:
    """Token states (batch, tokens, dims) to a vector each: the first token's, or the mean of the unmasked."""
    if pooling == "cls":
        vectors = hidden[:, 0]
    else:
        weights = mask[:, :, None].astype(np.float32)
        vectors = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    if normalize:
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors


Logits = npt.NDArray[np.float32]

# Like the embedder's, on a GPU. On a CPU passages are read one by one: their states stay in the cache, and
# nothing is padded, so one costs a third less. Nor does a reading depend on those beside it, as an int8
# model's does in a batch, where one scale holds for all.
READER_BATCH_TOKENS = 1024
# Longer answers than this are no answers (BERT's SQuAD recipe, Devlin et al. 2019).
MAX_ANSWER_TOKENS = 30


class Reranker(Model[CrossEncoderCard]):
    """A cross-encoder from a model folder, loaded at its first use if `late`. Thread-safe."""

    def __init__(self, folder: Path, threads: int = 0, *, late: bool = False) -> None:
        super().__init__(folder, CrossEncoderCard, threads, late=late)

    @property
    def weights(self) -> Mapping[str, float]:
        """What its log-odds and whatever else is known of a passage count."""
        return self.card.relevance

    def read(self, question: str, passages: Sequence[tuple[str, str]]) -> list[Reading]:
        """A reading for each (lead, text): title and headings, and the passage's own words."""
        whole = [with_lead(lead, text) for lead, text in passages]
        encodings = self._tokenizer.encode_batch([(question, text) for text, _ in whole])
        readings: list[Reading | None] = [None] * len(passages)
        budget = READER_BATCH_TOKENS if has_gpu() else 0
        for batch in batches([len(encoding.ids) for encoding in encodings], budget):
            outputs = self._session().run(padded([encodings[i] for i in batch], self._pad))
            for row, i in enumerate(batch):
                logits = [output[row] for output in outputs]
                readings[i] = self._reading(encodings[i], whole[i][1], logits)
        return [reading for reading in readings if reading is not None]

    def _reading(self, encoding: Encoding, lead: int, logits: Sequence[Logits]) -> Reading:
        log_odds = (float(logits[0]) - self.card.bias) / self.card.temperature
        if not self.card.reads:
            return Reading(log_odds)
        verdict = _verdict(logits[3]) if self.card.verdicts else None
        return Reading(log_odds, *best_span(encoding, lead, logits[1], logits[2]), verdict)


def _verdict(logits: Logits) -> ClaimVerdict:
    """The three logits (3,) as probabilities."""
    return ClaimVerdict(*probabilities(logits))


def with_lead(lead: str, text: str) -> tuple[str, int]:
    """A passage as the model reads it, in training too, and where in that its own text begins."""
    before = f"{lead}\n" if lead else ""
    return before + text, len(before)


def best_span(encoding: Encoding, lead: int, start: Logits, end: Logits) -> tuple[int, int, float]:
    """The likeliest answer in a passage's own text: its first and last character, and its margin.

    The margin is its logits' sum less that of `[CLS]`, which stands for "no answer". `lead` characters before
    the text cannot hold an answer.
    """
    places = [
        i
        for i, (sequence, (first, last)) in enumerate(
            zip(encoding.sequence_ids, encoding.offsets, strict=True)
        )
        if sequence == 1 and first >= lead and last > first
    ]
    if not places:
        return 0, 0, float(-np.inf)
    begin, stop = places[0], places[-1] + 1
    sums = start[begin:stop, None] + end[None, begin:stop]
    allowed = np.triu(np.ones_like(sums, dtype=bool)) & ~np.triu(
        np.ones_like(sums, dtype=bool), MAX_ANSWER_TOKENS
    )
    best = int(np.where(allowed, sums, -np.inf).argmax())
    i, j = divmod(best, stop - begin)
    margin = float(sums[i, j] - start[0] - end[0])
    return encoding.offsets[begin + i][0] - lead, encoding.offsets[begin + j][1] - lead, margin


Vector = npt.NDArray[np.float32]

# Names every other file; `lodge index` writes it last (server/ingest/topics/train.py).
CLASSIFIERS_FILE = "classifiers.json"


@dataclass(frozen=True, slots=True)
class _Labelled:
    """A model and what its classes are called: ("library",), or ("academics", "policies")."""

    model: SmallOnnxModel
    labels: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, folder: Path, entry: Any) -> _Labelled | None:
        """The model that an entry of the file names, or None where there is none."""
        if entry is None:
            return None
        labels = tuple(tuple(map(str, label)) for label in entry["labels"])
        return cls(SmallOnnxModel(folder / Path(entry["file"]).name), labels)

    def probabilities(self, vector: Vector) -> list[tuple[Sequence[str], float]]:
        """Each label with its probability."""
        [row] = self.model.probabilities(vector.reshape(1, -1))
        return list(zip(self.labels, map(float, row), strict=True))


@dataclass(frozen=True, slots=True)
class _UsualVectors:
    """The usual questions: unit vectors of shape (n, dims), each one's words, language and what it asks."""

    vectors: Vector
    says: tuple[str, ...]
    asks: tuple[str, ...]
    languages: npt.NDArray[np.str_]

    @classmethod
    def read(cls, folder: Path, entry: Any) -> _UsualVectors:
        """Those that an entry of the file names; `ValueError` where these are not as many as their words."""
        file = folder / Path(entry["vectors"]).name
        vectors = np.load(file, allow_pickle=False).astype(np.float32)
        says, asks = (tuple(map(str, entry[name])) for name in ("says", "asks"))
        languages = np.array(entry.get("languages", ["en"] * len(says)))  # older snapshots have only English
        if not len(vectors) == len(says) == len(asks) == len(languages) > 0:
            raise ValueError("The usual questions are not as many as their vectors.")
        return cls(vectors, says, asks, languages)

    def nearest(self, vector: Vector, language: str) -> NearestUsual:
        cosines = np.where(self.languages == language, self.vectors @ vector, -1.0)
        best = int(cosines.argmax())
        return NearestUsual(self.says[best], self.asks[best], float(cosines[best]))


class SnapshotClassifier:
    """The classifiers in a snapshot's folder. Thread-safe.

    A folder without them says nothing of any question. One whose files are broken, or made for vectors of
    another length than `dims`, is a `SnapshotError`.
    """

    def __init__(self, folder: Path, dims: int) -> None:
        self._topics: _Labelled | None = None
        self._subtopics: _Labelled | None = None
        self._scope: _Labelled | None = None
        self._usual: _Labelled | None = None
        self._said: _UsualVectors | None = None
        if (folder / CLASSIFIERS_FILE).exists():
            try:
                self._open(folder, dims)
            except (LodgeError, OSError, ValueError, TypeError, KeyError) as error:
                raise SnapshotError(
                    f"The classifiers of the snapshot {folder.name!r} cannot be used; "
                    "run `lodge index` again, or roll back."
                ) from error

    def _open(self, folder: Path, dims: int) -> None:
        table = json.loads((folder / CLASSIFIERS_FILE).read_text(encoding="utf-8"))
        self._topics = _Labelled.read(folder, table["topics"])
        self._subtopics = _Labelled.read(folder, table["subtopics"])
        self._scope = _Labelled.read(folder, table["scope"])
        self._usual = _Labelled.read(folder, table.get("usual"))  # older snapshots have none
        self._said = _UsualVectors.read(folder, table["usual"]) if self._usual else None
        nothing = np.zeros(dims, dtype=np.float32)
        for model in (self._topics, self._subtopics, self._scope, self._usual):
            if model is not None:
                model.probabilities(nothing)

    def topics(self, vector: Vector) -> dict[str, float]:
        """The probability of each topic, adding up to 1; empty where the snapshot has no topics."""
        if self._topics is None:
            return {}
        return {label[0]: probability for label, probability in self._topics.probabilities(vector)}

    def subtopics(self, vector: Vector) -> dict[str, dict[str, float]]:
        """For each topic that has sub-topics, their probabilities given the topic, adding up to 1."""
        if self._subtopics is None:
            return {}
        found: dict[str, dict[str, float]] = defaultdict(dict)
        for (topic, subtopic), probability in self._subtopics.probabilities(vector):
            found[topic][subtopic] = probability
        return {topic: _shares(probabilities) for topic, probabilities in found.items()}

    def in_scope(self, vector: Vector) -> float | None:
        """The probability that a question is the site's business; None where that was not learnt."""
        if self._scope is None:
            return None
        return dict(self._scope.probabilities(vector))[("in",)]

    def usual(self, vector: Vector) -> float | None:
        """The probability that any university is asked a question; None where that was not learnt."""
        if self._usual is None:
            return None
        return dict(self._usual.probabilities(vector))[("usual",)]

    def nearest_usual(self, vector: Vector, language: str = "en") -> NearestUsual | None:
        """The one of those questions, in a language, that comes closest; None where they are not known."""
        return self._said.nearest(vector, language) if self._said else None


def _shares(probabilities: dict[str, float]) -> dict[str, float]:
    total = sum(probabilities.values()) or 1.0
    return {label: probability / total for label, probability in probabilities.items()}
