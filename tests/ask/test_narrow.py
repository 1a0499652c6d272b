"""Asking back for whom a question is meant: from passages, and through the whole flow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from server.ask.narrow import AnswerRead, KindsApart, kinds_apart
from server.ask.trace import asked_of, question_of
from server.inference.encoders import Embedder
from server.models import Answer, Candidate, Passage, Reading
from server.settings import Settings
from server.wiring.flow import build_reranker
from server.wiring.opened import OpenedSnapshot
from tests import small_site
from tests.ask.asking import Flow, question

TUITION = """
## Undergraduate tuition
Tuition is $9,240 a year, which is charged in two parts, one in each term.

## Graduate tuition
Each credit costs $548. The Bursar's office bills it when classes begin, and takes checks and cards.

## Law tuition
Each year of the three costs $31,000. The dean's office bills it in August, and takes checks alone.
"""
LIBRARY_CARD = """
## Lost cards
A lost library card costs $15 to replace, at the desk in the hall of the library.
"""


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenedSnapshot]:
    settings = small_site.settings_for(tmp_path_factory.mktemp("kinds"))
    pages = [
        small_site.page("/costs", "Tuition", TUITION),
        small_site.page("/card", "Library card", LIBRARY_CARD),
        *(one for one in small_site.kept_pages() if "/tuition" not in one["url"]),
    ]
    small_site.index_pages(settings, pages)
    snapshot = OpenedSnapshot((settings.snapshots_dir / "current").resolve(), threads=1)
    yield snapshot
    snapshot.close()


@pytest.fixture(scope="module")
def flow(opened: OpenedSnapshot, embedder: Embedder) -> Flow:
    return Flow(opened, embedder, build_reranker(Settings()))


def read(score: float, heading: str, title: str = "Costs", text: str = "It is $5.") -> Candidate:
    passage = Passage(hash((heading, title)), f"https://example.edu/{title}", title, heading, text)
    return Candidate(passage, score, reading=Reading(0.0))


def apart(
    opened: OpenedSnapshot, found: Sequence[Candidate], *, text: str = "It is $5.", quoted: int = 1
) -> KindsApart | None:
    return kinds_apart(AnswerRead("how much is tuition?", found, found[:quoted], text), opened.text)


def names(found: KindsApart | None) -> tuple[list[str], list[str]]:
    assert found
    return [kind.name for kind in found.own], [kind.name for kind in found.others]


UNDERGRADUATE, GRADUATE = "Undergraduate tuition", "Graduate tuition"


def test_an_answer_for_one_kind_beside_a_passage_for_another_is_told_apart(opened: OpenedSnapshot) -> None:
    assert names(apart(opened, [read(0.8, UNDERGRADUATE), read(0.3, "Graduate students")])) == (
        ["undergraduate"],
        ["graduate"],
    )


def test_a_passage_that_hardly_answers_counts_only_by_its_heading(opened: OpenedSnapshot) -> None:
    assert apart(opened, [read(0.8, UNDERGRADUATE), read(0.1, "Graduate students")]) is None
    assert names(apart(opened, [read(0.8, UNDERGRADUATE), read(0.0, GRADUATE)]))[1] == ["graduate"]


def test_beside_an_answer_for_everyone_a_heading_has_to_say_that_it_is_of_the_same(
    opened: OpenedSnapshot,
) -> None:
    assert apart(opened, [read(0.8, "How to pay"), read(0.7, "Graduate students")]) is None
    assert names(apart(opened, [read(0.8, "How to pay"), read(0.7, GRADUATE)])) == ([], ["graduate"])


def test_a_wide_question_asks_back_for_any_kind_that_was_found(opened: OpenedSnapshot) -> None:
    found = [read(0.8, "How to pay"), read(0.0, "Graduate students"), read(0.0, "Parking")]
    wide = AnswerRead("how much is tuition?", found, found[:1], "It is $5.", wide=True)
    assert names(kinds_apart(wide, opened.text)) == ([], ["graduate"])


def test_what_the_answer_tells_already_is_not_offered(opened: OpenedSnapshot) -> None:
    both = [read(0.8, UNDERGRADUATE), read(0.7, GRADUATE)]
    assert apart(opened, both, quoted=2) is None
    assert apart(opened, both, text="Undergraduates pay $5; graduates pay $6.") is None
    assert apart(opened, [read(0.8, "Undergraduate and graduate tuition"), read(0.7, GRADUATE)]) is None


def test_a_refusal_asks_back_where_there_are_two_kinds(opened: OpenedSnapshot) -> None:
    assert apart(opened, [read(0.1, UNDERGRADUATE), read(0.0, "Parking")], quoted=0) is None
    found = apart(opened, [read(0.1, UNDERGRADUATE), read(0.05, GRADUATE)], quoted=0)
    assert names(found) == ([], ["undergraduate", "graduate"])


def test_three_are_offered_at_most(opened: OpenedSnapshot) -> None:
    others = [
        read(0.7, f"{kind} tuition") for kind in ("Graduate students", "Law students", "Online students")
    ]
    found = apart(opened, [read(0.8, UNDERGRADUATE), *others, read(0.7, "Tuition for transfer students")])
    assert len(names(found)[1]) == 3


def answer(flow: Flow, text: str, **options: object) -> Answer:
    return flow.final(text, "hybrid+rerank", **options).answer


def test_the_same_question_is_offered_with_another_kind_named_and_the_answer_stays(flow: Flow) -> None:
    asked, left_alone = (
        answer(flow, "how much is tuition?"),
        answer(flow, "how much is tuition?", asks_back=False),
    )
    assert asked.narrow
    assert [choice.question for choice in asked.narrow.choices if choice.label == "Graduate students"] == [
        "how much is tuition for graduate students?"
    ]
    assert left_alone.narrow is None
    assert (asked.answer, asked.tier, asked.citations) == (
        left_alone.answer,
        left_alone.tier,
        left_alone.citations,
    )


def test_what_is_offered_is_answered_and_asks_no_more(flow: Flow) -> None:
    chosen = answer(flow, "how much is tuition for graduate students?")
    assert "$548" in chosen.answer
    assert chosen.narrow is None


def test_the_trace_says_what_was_found_apart(flow: Flow) -> None:
    steps = flow.final("how much is tuition?", "hybrid+rerank").trace.steps
    assert "graduate" in next(step.notes for step in steps if step.step == "narrow")["others"]


@pytest.mark.parametrize(
    "text", ["what does a lost library card cost", "hello", "how much is law school tuition?"]
)
def test_nothing_is_asked_back_where_there_is_one_kind_or_it_is_named(flow: Flow, text: str) -> None:
    assert answer(flow, text).narrow is None


def test_it_is_asked_once_in_a_conversation(flow: Flow) -> None:
    asker = flow.asker()
    *_, again = asker.ask(question("how much is tuition?", "hybrid+rerank", narrowed=True))
    *_, told = asker.ask(
        question("how much is tuition?", "hybrid+rerank", history=(("user", "I'm a grad student"),))
    )
    assert again.answer.narrow is None  # type: ignore[union-attr]
    assert told.answer.narrow is None  # type: ignore[union-attr]


def test_a_kind_that_was_chosen_can_be_exchanged_in_the_next_line(flow: Flow) -> None:
    history = (("user", "how much is tuition for undergraduate students?"), ("assistant", "$9,240 [1]"))
    *_, final = flow.asker().ask(question("and for graduates?", "hybrid+rerank", history=history))
    assert "$548" in final.answer.answer  # type: ignore[union-attr]
    assert final.answer.narrow is None  # type: ignore[union-attr]


def test_a_replay_knows_that_it_was_asked_back_before() -> None:
    asked = question("how much is tuition?", narrowed=True)
    again = question_of({"question": "x", "trace_id": "t", "strategy": "hybrid", "asked": asked_of(asked)})
    assert again.narrowed
