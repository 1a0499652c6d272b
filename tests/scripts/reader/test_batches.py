from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")

import random

from tokenizers import Tokenizer

from scripts.research.reader.batches import Recipe, batch, plan, tokenised, window
from scripts.research.reader.examples import Example, Text
from server.settings import Settings

BODY = "The pool opens at six. Bring a towel. It closes at nine. Children swim free. There is a lane for all."
ANSWER = Text("Pool · Hours", BODY, BODY.index("nine"), BODY.index("nine") + 4)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    settings = Settings()
    found = Tokenizer.from_file(str(settings.models_dir / settings.embedder / "tokenizer.json"))
    found.enable_truncation(64, strategy="only_second")
    return found


def example(number: int, positives: int = 1, negatives: int = 5, spans: bool = True) -> Example:
    wrong = tuple(Text("Other", f"Something else, number {i}. And more.") for i in range(negatives))
    return Example(
        str(number), "s", "When does it close?", bool(positives), spans, (ANSWER,) * positives, wrong
    )


def test_the_answers_tokens_are_found(tokenizer: Tokenizer) -> None:
    pair = tokenised(tokenizer, "When does it close?", ANSWER)
    assert tokenizer.decode(pair.ids[pair.start : pair.end + 1]) == "nine"
    assert tokenizer.decode(pair.ids[pair.body :]).startswith("the pool opens")


def test_an_answer_cut_off_is_none(tokenizer: Tokenizer) -> None:
    far = Text("", "word " * 100 + "nine", 500, 504)
    pair = tokenised(tokenizer, "When?", far)
    assert (pair.start, pair.end) == (0, 0)


@pytest.mark.parametrize("seed", range(30))
def test_a_window_is_whole_sentences_with_the_answer_where_it_says(seed: int) -> None:
    found = window(ANSWER, random.Random(seed), short=1.0)
    assert found.body[found.start : found.end] == "nine"
    assert found.body in BODY
    assert found.body.endswith(".")
    assert found.body.count(".") <= 3


def test_without_an_answer_a_window_may_be_anywhere() -> None:
    rng = random.Random(1)
    windows = {window(Text("", BODY), rng, short=1.0).body for _ in range(60)}
    assert any(body.startswith("The pool") for body in windows)
    assert any(body.endswith("for all.") for body in windows)


def test_a_batch_has_each_examples_right_passage_and_some_wrong_ones(tokenizer: Tokenizer) -> None:
    made = batch([example(1), example(2)], tokenizer, Recipe(negatives=3, rows=4), random.Random(1))
    assert made.group.bincount().tolist() == [4, 4]
    assert made.positive.sum() == 2
    assert [int(part.ids.shape[0]) for part in made.parts] == [4, 4]
    assert made.start[made.positive == 1].min() > 0
    assert made.start[made.positive == 0].max() == 0


def test_places_that_may_not_be_learnt_weigh_nothing(tokenizer: Tokenizer) -> None:
    made = batch([example(1, spans=False)], tokenizer, Recipe(), random.Random(1))
    assert made.span_weight.tolist() == [0.0] * 4


def test_an_unanswerable_questions_own_page_is_always_among_its_passages(tokenizer: Tokenizer) -> None:
    for seed in range(10):
        recipe = Recipe(unanswerable_passages=2, short=0.0)
        made = batch([example(1, positives=0)], tokenizer, recipe, random.Random(seed))
        texts = [tokenizer.decode(row.tolist()) for part in made.parts for row in part.ids]
        assert len(texts) == 2
        assert any("number 0" in text for text in texts)


def test_a_plan_mixes_a_stage_and_keeps_the_stages_apart() -> None:
    stages = list(
        plan(
            [
                ("one", [example(i) for i in range(10)], 1.5),
                ("two", [example(i) for i in range(10, 20)], 0.5),
                ("one", [example(i) for i in range(20, 30)], 1.0),
            ],
            seed=3,
        )
    )
    assert [len(stage) for stage in stages] == [25, 5]
    assert {int(one.id) for one in stages[1]} <= set(range(10, 20))
    assert any(int(one.id) >= 20 for one in stages[0][:15])


def test_questions_without_a_passage_to_learn_from_are_left_out() -> None:
    lost = Example("1", "s", "?", True, True, (), (Text("", "x"),))
    [stage] = plan([("one", [lost, example(2)], 1.0)], seed=3)
    assert [one.id for one in stage] == ["2"]
