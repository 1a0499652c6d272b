from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from server.errors import ModelError
from server.inference.encoders import PROJECTION_FILE, TOKEN_SCALE, Embedder, Vectors, pool

GOLDEN = json.loads((Path(__file__).parent / "golden_minilm_l6.json").read_text(encoding="utf-8"))
TEXTS = [row["text"] for row in GOLDEN]
REFERENCE: Vectors = np.array([row["vector"] for row in GOLDEN], dtype=np.float32)

# What int8 weights and activations may cost against the unquantised model: the angle to each golden vector,
# and how far the cosine of two texts may move. Measured: 0.971 at worst, and 0.042.
LEAST_COSINE = 0.965
MOST_SHIFT = 0.06


def test_golden_vectors_are_near_the_unquantised_models(embedder: Embedder) -> None:
    vectors = np.array([embedder.embed_question(text) for text in TEXTS])
    assert np.sum(vectors * REFERENCE, axis=1).min() >= LEAST_COSINE


def test_texts_are_as_like_each_other_as_the_unquantised_model_says(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    ours, theirs = vectors @ vectors.T, REFERENCE @ REFERENCE.T
    assert np.abs(ours - theirs).max() <= MOST_SHIFT
    assert np.corrcoef(_ranks(ours), _ranks(theirs))[0, 1] >= 0.95


def _ranks(similarities: Vectors) -> Vectors:
    """The rank of every pair of different texts by similarity."""
    pairs = similarities[np.triu_indices(len(similarities), k=1)]
    ranks: Vectors = np.argsort(np.argsort(pairs)).astype(np.float32)
    return ranks


def test_vectors_have_unit_length_and_the_models_dims(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dims)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(len(TEXTS)), abs=1e-5)


def test_passages_come_back_in_their_order_whatever_their_lengths(embedder: Embedder) -> None:
    """A batch's activations share a scale, so a text's vector moves a little with its company."""
    texts = ["word " * (1 + 37 * i % 200) + text for i, text in enumerate(TEXTS)]
    together = embedder.embed_passages(texts)
    alone = np.array([embedder.embed_passages([text])[0] for text in texts])
    assert np.sum(together * alone, axis=1).min() > 0.97


def test_no_passages_are_no_vectors(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dims)


def test_what_a_text_says_beyond_the_models_length_is_not_seen(embedder: Embedder) -> None:
    long = "library " * embedder.card.max_tokens
    assert embedder.count_tokens([long]) == embedder.card.max_tokens
    assert np.array_equal(embedder.embed_question(long), embedder.embed_question(long + "and a pool"))


def test_threads_share_one_embedder(embedder: Embedder) -> None:
    alone = [embedder.embed_question(text) for text in TEXTS]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(embedder.embed_question, TEXTS * 5))
    assert np.array_equal(together, alone * 5)


@pytest.mark.parametrize(
    ("word", "known"), [("library", True), ("hockey", True), ("libary", False), ("", False)]
)
def test_a_common_word_has_a_token_of_its_own(embedder: Embedder, word: str, known: bool) -> None:
    assert embedder.is_word(word) == known


def test_counts_tokens_with_the_special_ones(embedder: Embedder) -> None:
    assert embedder.count_tokens(["library hours", "x"]) == 4 + 3


HIDDEN: Vectors = np.array([[[3, 4], [1, 0], [100, 100]]], dtype=np.float32)
MASK = np.array([[1, 1, 0]])


def test_the_mean_leaves_out_masked_tokens() -> None:
    assert pool(HIDDEN, MASK, "mean", normalize=False).tolist() == [[2, 2]]


def test_cls_takes_the_first_token() -> None:
    assert pool(HIDDEN, MASK, "cls", normalize=False).tolist() == [[3, 4]]
    assert pool(HIDDEN, MASK, "cls", normalize=True).tolist() == [[pytest.approx(0.6), pytest.approx(0.8)]]


SMALL = Path(__file__).parent / "small_models"


@pytest.mark.parametrize(("precision", "least"), [("fp32", 0.9999), ("int8", 0.93)])
def test_a_model_with_another_pooling_and_a_prefix_is_run_by_its_card(precision: str, least: float) -> None:
    """BGE's architecture, random weights, against PyTorch; of so few numbers int8 keeps .948 at worst."""
    embedder = Embedder(SMALL / f"bge-tiny-en-{precision}")
    rows = json.loads((SMALL / "reference.json").read_text(encoding="utf-8"))["texts"]
    questions = np.array([embedder.embed_question(row["text"]) for row in rows])
    passages = np.array([embedder.embed_passages([row["text"]])[0] for row in rows])
    for ours, key in ((questions, "question"), (passages, "passage")):
        theirs = np.array([row[key] for row in rows])
        assert np.sum(ours * theirs, axis=1).min() >= least
    assert np.sum(questions * passages, axis=1).max() < 0.999  # the prefix tells


def test_a_questions_words_have_vectors_as_long_as_they_count(embedder: Embedder) -> None:
    vector, words = embedder.encode_question("When is the library open?")
    assert vector == pytest.approx(embedder.embed_question("When is the library open?"), abs=1e-6)
    assert words.shape == (5, embedder.token_dims)  # neither the mark nor the special tokens
    lengths = np.linalg.norm(words, axis=1)
    assert lengths.sum() == pytest.approx(1, abs=1e-5)
    assert lengths[3] > lengths[2]  # "library" says more than "the"


def test_a_passages_words_are_stored_as_bytes_of_unit_vectors(embedder: Embedder) -> None:
    [(vector, words), (_, none)] = embedder.encode_passages(["The library opens at nine.", "…!"])
    assert vector.shape == (embedder.dims,)
    assert words.dtype == np.int8
    assert np.linalg.norm(words / TOKEN_SCALE, axis=1) == pytest.approx(np.ones(len(words)), abs=0.02)
    assert none.shape == (0, embedder.token_dims)


def test_without_a_projection_words_have_no_vectors() -> None:
    plain = Embedder(Path(__file__).parent / "small_models" / "bge-tiny-en-int8")
    assert plain.token_dims == 0
    assert plain.encode_question("When?")[1].size == 0
    assert plain.encode_passages(["At nine."])[0][1].size == 0


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 cut", b"no archive"])
def test_a_damaged_projection_is_an_error_that_names_the_model(tmp_path: Path, content: bytes) -> None:
    for file in (Path(__file__).parent / "small_models" / "bge-tiny-en-int8").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / PROJECTION_FILE).write_bytes(content)
    with pytest.raises(ModelError, match=PROJECTION_FILE):
        Embedder(tmp_path)


def test_a_projection_for_another_model_is_an_error(tmp_path: Path) -> None:
    for file in (Path(__file__).parent / "small_models" / "bge-tiny-en-int8").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    np.savez(tmp_path / PROJECTION_FILE, projection=np.ones((7, 3)), weights=np.ones(7))
    with pytest.raises(ModelError, match="no vectors of 64 numbers"):
        Embedder(tmp_path)
