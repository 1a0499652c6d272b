from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from server.evaluate.growth import (
    COPY_COSINE,
    GrowthSource,
    Page,
    Vectors,
    dealt_anew,
    grown,
    grown_topics,
    turned,
)
from server.models import Chunk, Document

DIMS = 24


def unit_vectors(count: int, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).normal(size=(count, DIMS)).astype(np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def a_page(number: int) -> Page:
    """A page of two chunks, of three sentences and of one."""
    url = f"https://example.edu/{number}" + ("?x=1" if number % 2 else "")
    texts = (f"First of {number}. Second of {number}.\nThird of {number}.", f"Fourth of {number}.")
    chunks = tuple(Chunk(url, i, f"Page {number}", ("Hours",), text) for i, text in enumerate(texts))
    return Document(url, f"Page {number}", (), lang="en", modified="2025-01-01"), chunks


PAGES = [a_page(i) for i in range(1200)]  # more than two batches
SITE = GrowthSource(
    PAGES, unit_vectors(2 * len(PAGES)), {document.url: ("library", "hours") for document, _ in PAGES}
)


@pytest.fixture(scope="module")
def batches() -> list[tuple[list[Page], Vectors]]:
    return list(grown(SITE, 3))


def test_the_site_itself_comes_first_as_it_is(batches: list[tuple[list[Page], Vectors]]) -> None:
    pages = [page for batch, _ in batches for page in batch]
    assert pages[: len(PAGES)] == PAGES
    assert np.array_equal(
        np.concatenate([vectors for _, vectors in batches])[: len(SITE.vectors)], SITE.vectors
    )


def test_every_batch_has_a_vector_for_each_chunk(batches: list[tuple[list[Page], Vectors]]) -> None:
    assert sum(len(batch) for batch, _ in batches) == 3 * len(PAGES)
    assert all(len(vectors) == sum(len(chunks) for _, chunks in batch) for batch, vectors in batches)


def test_a_copy_keeps_what_its_page_is_and_has_an_address_of_its_own(
    batches: list[tuple[list[Page], Vectors]],
) -> None:
    pages = [page for batch, _ in batches for page in batch]
    document, chunks = pages[2 * len(PAGES) + 1]
    assert document.url == "https://example.edu/1?x=1&copy=2"
    assert pages[len(PAGES)][0].url == "https://example.edu/0?copy=1"
    assert (document.title, document.lang, document.modified) == ("Page 1", "en", "2025-01-01")
    assert [(chunk.url, chunk.ordinal, chunk.heading) for chunk in chunks] == [
        (document.url, 0, "Hours"),
        (document.url, 1, "Hours"),
    ]
    assert len({document.url for document, _ in pages}) == len(pages)


def test_a_copy_has_the_sites_sentences_elsewhere_and_a_word_of_its_own(
    batches: list[tuple[list[Page], Vectors]],
) -> None:
    pages = [page for batch, _ in batches for page in batch]
    copy = pages[len(PAGES) : 2 * len(PAGES)]
    words = [{chunk.text.split()[-1] for chunk in chunks} for _, chunks in copy]
    assert all(len(of_page) == 1 for of_page in words)
    made_up = [word for (word,) in words]
    assert len(set(made_up)) > 0.99 * len(made_up)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in made_up)

    def sentences(some: list[Page]) -> Counter[str]:
        text = " ".join(chunk.text for _, chunks in some for chunk in chunks)
        return Counter(re.findall(r"[A-Z][a-z]+ of \d+\.", text))

    assert sentences(copy) == sentences(PAGES)
    same = sum(
        chunk.text.split(".")[0] == old.text.split(".")[0]
        for (_, old_chunks), (_, chunks) in zip(PAGES, copy, strict=True)
        for old, chunk in zip(old_chunks, chunks, strict=True)
    )
    assert same < 0.01 * 2 * len(PAGES)


def test_a_copys_vectors_are_near_its_pages_and_no_two_are_the_same(
    batches: list[tuple[list[Page], Vectors]],
) -> None:
    first, second, third = np.split(np.concatenate([vectors for _, vectors in batches]), 3)
    for copy in (second, third):
        assert np.einsum("ij,ij->i", first, copy) == pytest.approx(COPY_COSINE, abs=1e-5)
        assert np.linalg.norm(copy, axis=1) == pytest.approx(1, abs=1e-5)
        assert copy.dtype == np.float32
    assert np.einsum("ij,ij->i", second, third).max() < 0.999


def test_the_same_seed_makes_the_same_site_and_another_another() -> None:
    small = GrowthSource(PAGES[:5], SITE.vectors[:10], {})
    one, again, other = (list(grown(small, 2, seed)) for seed in (1, 1, 2))
    assert [batch for batch, _ in one] == [batch for batch, _ in again]
    assert np.array_equal(one[1][1], again[1][1])
    assert [batch for batch, _ in one] != [batch for batch, _ in other]


def test_topics_are_those_of_the_pages_copied() -> None:
    topics = grown_topics(SITE, 3)
    assert set(topics) == {document.url for batch, _ in grown(SITE, 3) for document, _ in batch}
    assert set(topics.values()) == {("library", "hours")}


def test_a_vector_whose_partner_is_the_same_stays_as_it_is() -> None:
    vectors = unit_vectors(4)
    assert turned(vectors, vectors) == pytest.approx(vectors)
    half = turned(vectors[:2], vectors[2:], cosine=0.5)
    assert np.einsum("ij,ij->i", half, vectors[:2]) == pytest.approx(0.5, abs=1e-5)
    nearer = np.einsum("ij,ij->i", half, vectors[2:]) - np.einsum("ij,ij->i", vectors[:2], vectors[2:])
    assert (nearer > 0).all()


def test_sentences_dealt_anew_are_as_many_a_text() -> None:
    parts = [["a", "b", "c"], [], ["d"]]
    texts = dealt_anew(parts, np.random.default_rng(0))
    assert [len(text.split()) for text in texts] == [3, 0, 1]
    assert sorted(" ".join(texts).split()) == ["a", "b", "c", "d"]
