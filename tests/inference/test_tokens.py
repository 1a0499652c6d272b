from __future__ import annotations

from tokenizers import Tokenizer, models, pre_tokenizers

from server.inference.session import batches, pad_id, padded


def words(*vocabulary: str) -> Tokenizer:
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(vocabulary)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def test_batches_hold_like_lengths_within_the_budget_and_every_text_once() -> None:
    lengths = [5, 250, 7, 3, 256, 100, 90, 8] * 9
    found = list(batches(lengths, 1024))
    assert sorted(i for batch in found for i in batch) == list(range(len(lengths)))
    assert all(len(batch) * max(lengths[i] for i in batch) <= 1024 for batch in found)
    assert [lengths[i] for batch in found for i in batch] == sorted(lengths)


def test_a_text_over_the_budget_is_a_batch_of_its_own() -> None:
    assert list(batches([10, 50, 9], 20)) == [[2, 0], [1]]


def test_the_padding_token_is_found_under_either_familys_name() -> None:
    assert pad_id(words("[UNK]", "a", "[PAD]")) == 2
    assert pad_id(words("[UNK]", "<pad>", "a")) == 1
    assert pad_id(words("[UNK]", "a")) == 0


def test_rows_are_padded_to_the_longest_and_the_padding_is_masked() -> None:
    tokenizer = words("[UNK]", "<pad>", "a", "b")
    feeds = padded(tokenizer.encode_batch(["a b a", "b"]), pad_id(tokenizer))
    assert feeds["input_ids"].tolist() == [[2, 3, 2], [3, 1, 1]]
    assert feeds["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
    assert feeds["token_type_ids"].tolist() == [[0, 0, 0], [0, 0, 0]]
