"""The models on this machine: embedder, cross-encoder, and the examples that distress is heard by."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from server.ask.presets import reranks
from server.ask.receiving.distress_likeness import Likeness, load_examples
from server.inference.embedder import Embedder, Vectors
from server.inference.reranker import Reranker
from server.ingest.topics.learn import load_general_questions
from server.settings import Settings


def build_embedder(settings: Settings) -> Embedder:
    """The configured embedder; `ModelError` when its folder is missing."""
    return Embedder(settings.models_dir / settings.embedder, settings.inference_threads)


def build_reranker(settings: Settings) -> Reranker | None:
    """The configured cross-encoder, if any; `ModelError` when its folder is missing.

    Where the default strategy does without, it is loaded when a question first asks for it.
    """
    if not settings.reranker:
        return None
    late = not reranks(settings.strategy)
    return Reranker(settings.models_dir / settings.reranker, settings.inference_threads, late=late)


def build_likeness(settings: Settings, embedder: Embedder) -> Likeness:
    """The examples of distress, embedded; `BadInputError` when their files cannot be used.

    Everyday questions of any kind are among what is harmless. The vectors are kept under `home`, so that a
    start does not wait for them twice.
    """
    harmless = load_general_questions(settings.general_questions_file)
    examples = load_examples(settings.distress_file, harmless)
    return Likeness(examples, KeptVectors(settings.home / "cache", embedder).embed)


class KeptVectors:
    """Embeds fixed lists of texts, each list once for an embedder; what cannot be kept is made again."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        self._folder = folder
        self._embedder = embedder

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of shape (texts, dims)."""
        digest = hashlib.sha256("\0".join([self._embedder.sha256, *texts]).encode()).hexdigest()[:24]
        file = self._folder / f"{digest}.npy"
        try:
            kept: Vectors = np.load(file)
            if kept.shape[0] == len(texts):
                return kept
        except (OSError, ValueError, EOFError):
            pass  # not there, or broken: made anew
        vectors = self._embedder.embed_questions(texts)
        self._keep(file, vectors)
        return vectors

    def _keep(self, file: Path, vectors: Vectors) -> None:
        """Aside, then by rename, so that nobody reads half of it."""
        aside = file.with_name(f".{uuid.uuid4().hex[:8]}.npy")
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            np.save(aside, vectors)
            aside.replace(file)
        except OSError:
            aside.unlink(missing_ok=True)
