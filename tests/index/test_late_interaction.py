from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from server.errors import SnapshotError
from server.index.late_interaction import OFFSETS_FILE, TOKENS_FILE, TokenIndex, TokenWriter, Vectors

NORTH, EAST, BETWEEN = [127, 0], [0, 127], [90, 90]


def written(folder: Path, *chunks: list[list[int]]) -> TokenIndex:
    writer = TokenWriter(folder)
    writer.add([np.array(one, np.int8).reshape(len(one), 2) for one in chunks])
    writer.close()
    return TokenIndex(folder, len(chunks))


def asked(*words: tuple[float, float]) -> Vectors:
    return np.array(words, np.float32)


def test_each_of_the_questions_words_counts_by_its_nearest_word_of_the_chunk(tmp_path: Path) -> None:
    tokens = written(tmp_path, [NORTH, EAST], [NORTH], [EAST, BETWEEN])
    scores = tokens.scores(asked((0.5, 0), (0, 0.5)), [0, 1, 2])
    assert scores == pytest.approx({0: 1.0, 1: 0.5, 2: 0.5 + 0.5 * 0.5**0.5}, abs=1e-3)


def test_a_word_counts_as_much_as_its_vector_is_long(tmp_path: Path) -> None:
    tokens = written(tmp_path, [NORTH], [EAST])
    scores = tokens.scores(asked((0.9, 0), (0, 0.1)), [0, 1])
    assert scores == pytest.approx({0: 0.9, 1: 0.1}, abs=1e-3)


def test_a_chunk_without_words_has_no_score(tmp_path: Path) -> None:
    tokens = written(tmp_path, [NORTH], [], [EAST])
    assert list(tokens.scores(asked((1, 0)), [2, 1, 0])) == [2, 0]


def test_a_question_without_words_or_of_another_width_scores_nothing(tmp_path: Path) -> None:
    tokens = written(tmp_path, [NORTH])
    assert tokens.scores(np.empty((0, 2), np.float32), [0]) == {}
    assert tokens.scores(np.ones((1, 3), np.float32), [0]) == {}


def test_a_snapshot_without_the_files_scores_nothing(tmp_path: Path) -> None:
    tokens = TokenIndex(tmp_path, 3)
    assert tokens.scores(asked((1, 0)), [0, 1, 2]) == {}
    assert len(tokens.of(2)) == 0


def test_a_snapshot_whose_chunks_have_no_words_scores_nothing(tmp_path: Path) -> None:
    tokens = written(tmp_path, [], [])
    assert tokens.scores(asked((1, 0)), [0, 1]) == {}


@pytest.mark.parametrize("cut", [TOKENS_FILE, OFFSETS_FILE])
def test_a_file_that_was_cut_is_an_error(tmp_path: Path, cut: str) -> None:
    written(tmp_path, [NORTH, EAST], [NORTH])
    whole = (tmp_path / cut).read_bytes()
    (tmp_path / cut).write_bytes(whole[: len(whole) // 2 - 1])
    with pytest.raises(SnapshotError, match="words of 2 chunks"):
        TokenIndex(tmp_path, 2)


def test_files_of_other_chunks_are_an_error(tmp_path: Path) -> None:
    written(tmp_path, [NORTH], [EAST])
    with pytest.raises(SnapshotError, match="words of 3 chunks"):
        TokenIndex(tmp_path, 3)
