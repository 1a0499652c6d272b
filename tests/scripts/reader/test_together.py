"""All at once: rows are those that the server reads, and a teacher's order counts within each question."""

import random

import pytest

pytest.importorskip("torch", reason="training needs .venv-export")

import torch
from tokenizers import Tokenizer

from scripts.research.reader.batches import tokenised
from scripts.research.reader.examples import Example, Text
from scripts.research.reader.together.decoder import Decoder, Shape
from scripts.research.reader.together.marks import right_first
from scripts.research.reader.together.pack import Texts, listed, packed
from scripts.research.reader.together.rows import BertForm, EchoForm, Packed, Rows
from scripts.research.reader.together.run import as_taught
from scripts.research.reader.training import distilled, listwise, same_example
from server.settings import PROJECT

BODY = "The library opens at nine. It closes at midnight on Fridays."
RIGHT = Text("Library › Hours", BODY, BODY.index("midnight"), BODY.index(" on Fridays"))
WRONG = Text("Library", "The library has four floors. There are lockers on each.")
ASKED = "when does the library close on friday"
EXAMPLE = Example("q1", "quennell", ASKED, True, True, (RIGHT,), (WRONG,), (1,), (2,))


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    read = Tokenizer.from_file(str(PROJECT / "onnx_models/reader-l6-int8/tokenizer.json"))
    read.no_padding()
    read.enable_truncation(256, strategy="only_second")
    return read


@pytest.fixture
def rows(tokenizer: Tokenizer) -> Rows:
    texts = Texts()
    examples = list(packed([EXAMPLE], texts, 16))
    lists = list(listed([EXAMPLE], texts))
    first, between = tokenizer.encode("").ids
    form = BertForm(first, between)
    return Rows(Packed(texts.rows, examples, lists, []), tokenizer, form)


def test_a_row_is_the_one_that_the_server_reads(rows: Rows, tokenizer: Tokenizer) -> None:
    made, of = rows.batch([0], 1, 0.0, random.Random(1))
    assert sorted(of) == [(0, 0), (0, 1)]
    expected = {tuple(one.ids): one for one in (tokenised(tokenizer, ASKED, text) for text in (RIGHT, WRONG))}
    seen = 0
    for part in made.parts:
        for ids, mask, types in zip(part.ids, part.mask, part.types, strict=True):
            length = int(mask.sum())
            same = expected[tuple(ids[:length].tolist())]
            assert types[:length].tolist() == same.types
            place = made.start[seen].item(), made.end[seen].item()
            assert place == (same.start, same.end)
            seen += 1
    assert seen == 2
    assert made.positive.sum() == 1


def test_a_window_keeps_the_answer(rows: Rows, tokenizer: Tokenizer) -> None:
    for seed in range(20):
        made, _ = rows.batch([0], 0, 1.0, random.Random(seed))
        [part] = made.parts
        start, end = made.start[0].item(), made.end[0].item()
        assert tokenizer.decode(part.ids[0, start : end + 1].tolist()) == "midnight"


def test_a_list_to_measure_with_is_in_the_order_found(rows: Rows) -> None:
    [one] = rows.packed.lists
    assert one["right"] == [True, False]
    assert [rows.packed.texts[number]["body"] for number in one["texts"]] == [RIGHT.body, WRONG.body]


def test_a_long_passage_is_cut_and_the_question_stays() -> None:
    echo = EchoForm(between=1, end=2, longest=12).row([5, 6], [7], list(range(10, 40)), None)
    assert echo.ids == [5, 6, 1, 7, 10, 11, 12, 13, 1, 5, 6, 2]
    bert = BertForm(first=3, between=4, longest=9).row([5, 6], [7], list(range(10, 40)), (20, 21))
    assert bert.ids == [3, 5, 6, 4, 7, 10, 11, 12, 4]
    assert (bert.start, bert.end) == (0, 0)


def test_the_order_of_a_teacher_is_learnt_within_each_question() -> None:
    inside = same_example(torch.tensor([0, 0, 1, 1]))
    taught = torch.tensor([2.0, -1.0, 0.0, 3.0])
    as_taught = distilled(taught, taught, inside)
    assert distilled(taught + torch.tensor([5.0, 5.0, -3.0, -3.0]), taught, inside) == pytest.approx(
        as_taught.item(), abs=1e-5
    )
    assert distilled(-taught, taught, inside) > as_taught + 1
    assert listwise(taught, torch.tensor([1.0, 0.0, 0.0, 1.0]), inside) < 0.1


def test_where_nothing_is_marked_the_right_passage_is_taught(rows: Rows) -> None:
    made, of = rows.batch([0], 1, 0.0, random.Random(1))
    is_right = made.positive.bool()
    as_it_is, the_other_way = (
        as_taught(torch.where(one, 10.0, 0.0), made, of, [{}]) for one in (is_right, ~is_right)
    )
    assert as_it_is < 0.01
    assert the_other_way > 5


def test_marks_are_learnt_though_they_put_another_passage_first(rows: Rows) -> None:
    made, of = rows.batch([0], 1, 0.0, random.Random(1))
    marks = [{0: -1.0, 1: 2.0}]
    said = torch.tensor([marks[0][text] for _, text in of])
    assert as_taught(said, made, of, marks) < 1e-5 < as_taught(-said, made, of, marks)


def test_the_order_under_a_question_without_an_answer_is_not_taught(rows: Rows) -> None:
    made, of = rows.batch([0], 1, 0.0, random.Random(1))
    made.positive[:] = 0
    assert as_taught(torch.tensor([3.0, -3.0]), made, of, [{0: 1.0, 1: 5.0}]) == 0


def test_marks_are_of_both_the_reader_and_the_embedder(rows: Rows) -> None:
    wanted, odds, cosines = [[0, 1]], [[-1.0, 0.0]], [[0.6, 0.1]]
    assert right_first(rows.packed, wanted, odds, cosines, 0.0) == 0
    assert right_first(rows.packed, wanted, odds, cosines, 4.0) == 1


def test_what_stands_behind_a_row_is_not_read_by_the_teacher() -> None:
    torch.manual_seed(1)
    decoder = Decoder(Shape(50, 16, 2, 4, 2, 32, 10000.0))
    torch.nn.init.normal_(decoder.relevance.weight)
    ids = torch.tensor([[3, 4, 5, 6, 0, 0]])
    mask = torch.tensor([[1, 1, 1, 1, 0, 0]])
    alone = decoder(ids[:, :4], mask[:, :4])
    assert torch.allclose(decoder(ids, mask), alone, atol=1e-5)
    assert not torch.allclose(decoder(ids + 1, mask), alone, atol=1e-3)
