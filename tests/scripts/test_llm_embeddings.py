"""Pooling of hidden states, and the place of a gold document; with made-up states, without a model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from scripts.research.retrieval.llm_embeddings import (
    Documents,
    embedded,
    figures,
    main,
    pooled,
    ranks,
    read_folder,
    unit,
)
from scripts.research.retrieval.llm_embeddings import with_centred as both

FIRST = np.array([[[1.0, 0.0], [3.0, 0.0], [9.0, 9.0]]], dtype=np.float32)
LAST = np.array([[[0.0, 2.0], [0.0, 4.0], [9.0, 9.0]]], dtype=np.float32)
MASK = np.array([[True, True, False]])


def test_padding_is_in_no_way_of_pooling() -> None:
    ways = pooled([FIRST, LAST], MASK)
    assert ways["mean"].tolist() == [[0, 3]]
    assert ways["last"].tolist() == [[0, 4]]
    assert ways["layers"].tolist() == [[2, 3]]


def test_what_all_passages_share_is_taken_out() -> None:
    passages = {"mean": np.array([[5.0, 1.0], [5.0, -1.0]], dtype=np.float32)}
    questions = {"mean": np.array([[5.0, 0.5]], dtype=np.float32)}
    [(plain, _, _), (centred, of_passages, of_questions)] = both(passages, questions)
    assert (plain, centred) == ("mean", "mean, centred")
    assert of_passages.tolist() == [[0, 1], [0, -1]]
    assert of_questions.tolist() == [[0, 1]]


def test_a_vector_of_zeros_stays_one() -> None:
    assert unit(np.zeros((1, 3), dtype=np.float32)).tolist() == [[0, 0, 0]]


def test_a_document_is_as_near_as_its_nearest_paragraph_and_a_tie_is_lost() -> None:
    documents = Documents(("a", "a", "b", "c"), ("", "", "", ""), ("q", "r"), ("a", "b"))
    passages = np.array([[1, 0], [0, 1], [0.6, 0.8], [0.6, 0.8]], dtype=np.float32)
    places = ranks(documents, passages, np.array([[0, 1], [0.6, 0.8]], dtype=np.float32))
    assert places.tolist() == [1, 2]
    assert figures(places) == [0.5, 1.0, 1.0, 0.75]


def test_the_rows_stand_in_the_texts_order_whatever_their_length() -> None:
    def states(texts: object) -> tuple[list[np.ndarray], np.ndarray]:
        assert isinstance(texts, list)
        values = np.array([[[float(len(text))]] for text in texts], dtype=np.float32)
        return [values], np.ones((len(texts), 1), dtype=bool)

    rows = embedded(["three", "a", "two"] * 5, states)["mean"]
    assert rows[:, 0].tolist() == [5, 1, 3] * 5


def test_the_experiments_files_are_read_by_paragraph(tmp_path: Path) -> None:
    page = {"url": "https://x/a", "title": "A", "text": "one\n\ntwo"}
    asked = {"question": "which?", "gold_urls": ["https://x/a"]}
    (tmp_path / "pages.jsonl").write_text(json.dumps(page), encoding="utf-8")
    (tmp_path / "questions.jsonl").write_text(json.dumps(asked), encoding="utf-8")
    read = read_folder(tmp_path)
    assert read == Documents(("https://x/a",) * 2, ("A\none", "A\ntwo"), ("which?",), ("https://x/a",))


def test_a_folder_without_the_files_is_told(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="Error"):
        main(["--model", str(tmp_path), str(tmp_path)])
