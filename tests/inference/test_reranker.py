from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer

from server.errors import ModelError
from server.inference.encoders import MAX_ANSWER_TOKENS, Reranker, best_span, with_lead
from server.settings import Settings

SMALL = Path(__file__).parent / "small_models"
PAIRS = json.loads((SMALL / "reference.json").read_text(encoding="utf-8"))["pairs"]
LOGITS = [row["logit"] for row in PAIRS]


@pytest.fixture(scope="module")
def shipped() -> Reranker:
    settings = Settings()
    return Reranker(settings.models_dir / settings.reranker)


def read_one_by_one(reranker: Reranker) -> list[float]:
    return [reranker.read(row["question"], [("", row["passage"])])[0].log_odds for row in PAIRS]


def test_a_model_of_another_architecture_gives_the_logits_pytorch_gives() -> None:
    found = read_one_by_one(Reranker(SMALL / "bge-tiny-reranker-fp32"))
    assert found == pytest.approx(LOGITS, abs=1e-4)
    assert max(LOGITS) - min(LOGITS) > 0.5


def test_its_int8_form_agrees_with_pytorch_in_order() -> None:
    """Of so few random weights int8 keeps less than of trained ones: the correlation is .95 and more."""
    found = read_one_by_one(Reranker(SMALL / "bge-tiny-reranker-int8"))
    assert np.corrcoef(found, LOGITS)[0, 1] > 0.9


def test_company_of_other_lengths_does_not_change_a_reading() -> None:
    """XLM-R counts positions by the padding token's own id: another one would shift them."""
    reranker = Reranker(SMALL / "bge-tiny-reranker-fp32")
    question = PAIRS[0]["question"]
    texts = [("", row["passage"]) for row in PAIRS]
    together = [reading.log_odds for reading in reranker.read(question, texts)]
    alone = [reranker.read(question, [text])[0].log_odds for text in texts]
    assert together == pytest.approx(alone, abs=1e-4)


def test_an_int8_reading_is_the_same_in_any_company() -> None:
    """In a batch one scale holds for all activations, and the longest passage would move every other."""
    reranker = Reranker(SMALL / "bge-tiny-reranker-int8")
    question = PAIRS[0]["question"]
    texts = [("", row["passage"]) for row in PAIRS]
    assert reranker.read(question, texts) == [reranker.read(question, [text])[0] for text in texts]


def test_a_model_that_only_ranks_marks_nothing() -> None:
    [reading] = Reranker(SMALL / "bge-tiny-reranker-fp32").read("When?", [("Title", "In May.")])
    assert (reading.start, reading.end, reading.margin) == (0, 0, None)


def test_the_card_scales_the_logit(tmp_path: Path) -> None:
    folder = tmp_path / "scaled"
    folder.mkdir()
    for file in (SMALL / "bge-tiny-reranker-fp32").iterdir():
        text = file.read_bytes().replace(b"temperature = 1.0\nbias = 0.0", b"temperature = 2.0\nbias = 0.5")
        (folder / file.name).write_bytes(text)
    plain, scaled = Reranker(SMALL / "bge-tiny-reranker-fp32"), Reranker(folder)
    expected = [(logit - 0.5) / 2 for logit in read_one_by_one(plain)]
    assert read_one_by_one(scaled) == pytest.approx(expected, abs=1e-5)


def test_an_embedder_is_no_reranker() -> None:
    with pytest.raises(ModelError, match="of the kind 'embedder'; a cross-encoder is needed"):
        Reranker(SMALL / "bge-tiny-en-fp32")


def test_a_passage_says_where_its_own_text_begins() -> None:
    assert with_lead("Fees · Spring", "$310") == ("Fees · Spring\n$310", 14)
    assert with_lead("", "$310") == ("$310", 0)


def test_no_passages_are_no_readings(shipped: Reranker) -> None:
    assert shipped.read("When?", []) == []


def test_the_shipped_reader_ranks_and_marks(shipped: Reranker) -> None:
    passages = [
        ("Larkmoor Library", "The reading room has eighty seats. Bring your student card with you."),
        ("Larkmoor Library", "The library was built in 1931 by the sons of a shipping merchant."),
        ("Dining", "The dining hall serves breakfast until ten on weekdays."),
    ]
    readings = shipped.read("When was the library built?", passages)
    best = max(range(3), key=lambda i: readings[i].log_odds)
    assert best == 1
    assert "1931" in passages[1][1][readings[1].start : readings[1].end]
    assert readings[1].margin is not None
    assert all(readings[1].margin > (readings[i].margin or 0.0) for i in (0, 2))


@pytest.mark.parametrize("text", ["", "x", "word " * 1000, "ﬀ é 漢字 👩‍🎓 \x00"])
def test_whatever_stands_there_a_reading_lies_within_it(shipped: Reranker, text: str) -> None:
    for question in ("When?", "why " * 1000, "?"):
        [reading] = shipped.read(question, [("Title", text)])
        assert 0 <= reading.start <= reading.end <= len(text)
        assert np.isfinite(reading.log_odds)


@pytest.mark.parametrize(
    ("claim", "text", "said"),
    [
        ("On Fridays the pool opens at 6.", "The pool opens at 6 on Fridays.", "supported"),
        pytest.param(
            "The library is open until midnight on Friday.",
            "On Friday the library is open until midnight.",
            "supported",
            marks=pytest.mark.xfail(
                strict=True, reason="the reader hears a contradiction since its tenth cycle"
            ),
        ),
        ("Tuition is $4,100 a term.", "A term costs $4,100 in tuition.", "supported"),
        (
            "The library closes at noon on Friday.",
            "On Friday the library is open until midnight.",
            "contradicted",
        ),
        ("The pool has eight lanes.", "On Friday the library is open until midnight.", "not_said"),
    ],
)
def test_the_shipped_reader_judges_claims(shipped: Reranker, claim: str, text: str, said: str) -> None:
    [reading] = shipped.read(claim, [("Library", text)])
    assert reading.verdict is not None
    shares = asdict(reading.verdict)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert max(shares, key=lambda name: shares[name]) == said


def test_threads_share_one_reader(shipped: Reranker) -> None:
    passages = [("Dining", "The dining hall serves breakfast until ten on weekdays.")] * 3
    expected = shipped.read("Until when is breakfast?", passages)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: shipped.read("Until when is breakfast?", passages), range(12)))
    assert all(readings == expected for readings in found)


# --- the span ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    settings = Settings()
    return Tokenizer.from_file(str(settings.models_dir / settings.reranker / "tokenizer.json"))


def test_an_answer_never_lies_in_the_question_or_the_lead(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("who built it", "built by\nsomeone else")
    flat = np.zeros(len(encoding.ids), dtype=np.float32)
    start, end = flat.copy(), flat.copy()
    start[:8] = end[:8] = 9.0  # question and lead
    assert "someone else"[slice(*best_span(encoding, 9, start, end)[:2])] in (
        "someone",
        "else",
        "someone else",
    )


def test_an_answer_does_not_end_before_it_starts_nor_run_on(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("q", " ".join(["word"] * 60))
    start, end = (np.zeros(len(encoding.ids), dtype=np.float32) for _ in range(2))
    start[40], end[10] = 5.0, 4.0  # the wrong way round: only one of them can count
    first, _, margin = best_span(encoding, 0, start, end)
    assert margin == 5.0
    assert first == 5 * (40 - 3)
    start[:], end[:] = 0.0, 0.0
    start[5], end[5 + MAX_ANSWER_TOKENS] = 5.0, 4.0  # one token too far apart
    assert best_span(encoding, 0, start, end)[2] == 5.0


def test_the_margin_is_what_the_answer_has_over_none(tokenizer: Tokenizer) -> None:
    encoding = tokenizer.encode("q", "a b c")
    start, end = (np.zeros(len(encoding.ids), dtype=np.float32) for _ in range(2))
    start[0] = end[0] = 3.0
    assert best_span(encoding, 0, start, end)[2] == -6.0
